/** Defines the kind ControllerRevision: snapshots of earlier templates, for controllers. */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { validateNotBelowZero, validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { required } from '../../../api/validation/field-errors.ts';
import { isGiven, readFlag, readNumber, readText } from '../../../api/validation/json-reading.ts';

export const controllerRevisions = plainKind('apps/v1', {
  kind: 'ControllerRevision',
  resource: 'controllerrevisions',
  rules: {
    validate: (object) => [
      ...validateNotBelowZero(object, ['revision']),
      ...(isGiven(object['data']) ? [] : [required('data', 'data is mandatory')]),
    ],
    validateUpdate: (object, old) => [
      ...validateNotBelowZero(object, ['revision']),
      ...validateUnchanged(object, old, ['data']),
    ],
  },
  columns: [
    NAME,
    textColumn('Controller', 'Whose memory it is.', printController),
    textColumn('Revision', 'Its place in the order of revisions.', ({ revision }) =>
      typeof revision === 'bigint' ? revision : readNumber(revision),
    ),
    AGE,
  ],
});

function printController(object: JsonObject): string {
  const owner = objectsAt(object, 'metadata.ownerReferences').find((one) =>
    readFlag(one['controller']),
  );
  if (!owner) return '<none>';
  const [group = '', version] = readText(owner['apiVersion']).split('/');
  const kind = readText(owner['kind']);
  const full = version === undefined ? kind : `${kind}.${group}`;
  return `${full.toLowerCase()}/${readText(owner['name'])}`;
}
