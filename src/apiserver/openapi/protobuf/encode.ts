/** Encodes an OpenAPI document as protobuf: the only form in which client-go requests version 2. */
import { WireWriter } from '../../../api/protobuf/wire-writer.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { fieldsWriter } from './field-writers.ts';
import { DOCUMENT_EXTENSIONS_V2, documentFieldsV2 } from './openapi-v2.ts';
import { DOCUMENT_EXTENSIONS_V3, documentFieldsV3 } from './openapi-v3.ts';

export type OpenApiVersion = 'v2' | 'v3';

const WRITERS = {
  v2: fieldsWriter(documentFieldsV2, DOCUMENT_EXTENSIONS_V2),
  v3: fieldsWriter(documentFieldsV3, DOCUMENT_EXTENSIONS_V3),
};

export function encodeDocument(version: OpenApiVersion, document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  WRITERS[version](writer, document);
  return writer.finish();
}
