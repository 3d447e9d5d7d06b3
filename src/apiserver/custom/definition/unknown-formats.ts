/** Warns about formats that the server does not check: the author of the schema may believe that it does. */
import type { JsonObject } from '../../../lib/json.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { readObjects, readStruct } from '../../../api/validation/json-reading.ts';
import { readSchema, type Schema } from '../../schema/schema.ts';
import { checkedFormat } from '../../../api/values/text-formats.ts';

export function unknownFormats(crd: JsonObject): readonly string[] {
  const versions = readObjects(readStruct(crd['spec'])['versions']);
  const sources = versions.map((one) => readStruct(readStruct(one['schema'])['openAPIV3Schema']));
  const [first] = sources;
  // A schema that all versions share is reported once.
  const isShared = first !== undefined && sources.every((source) => jsonEqual(source, first));
  const schemas = (isShared ? [first] : sources).map(readSchema);
  return schemas
    .flatMap(formatsIn)
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function formatsIn(schema: Schema): readonly string[] {
  const { type, format, items, not, additional } = schema;
  const isUnknown = format !== '' && checkedFormat(type, format) === '';
  const inner = [
    ...(items ? [items] : []),
    ...schema.allOf,
    ...schema.anyOf,
    ...schema.oneOf,
    ...(not ? [not] : []),
    ...schema.properties.values(),
    ...(typeof additional === 'object' ? [additional] : []),
  ];
  return [...(isUnknown ? [format] : []), ...inner.flatMap(formatsIn)];
}
