/** Reads the data of config maps and secrets by key: as text for variables, as bytes for files. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

/** Binary data of a config map cannot be used for variables. */
export function textDataOf(
  kind: 'ConfigMap' | 'Secret',
  object: JsonObject,
): ReadonlyMap<string, string> {
  const decode = (text: string): string =>
    kind === 'ConfigMap' ? text : Buffer.from(text, 'base64').toString('utf8');
  return new Map(entriesOf(object['data']).map(([key, text]) => [key, decode(text)]));
}

export function bytesOf(
  kind: 'ConfigMap' | 'Secret',
  object: JsonObject,
): ReadonlyMap<string, Uint8Array> {
  const encoding = kind === 'ConfigMap' ? 'utf8' : 'base64';
  return new Map([
    ...entriesOf(object['data']).map(([key, text]) => [key, Buffer.from(text, encoding)] as const),
    ...entriesOf(kind === 'ConfigMap' ? object['binaryData'] : undefined).map(
      ([key, text]) => [key, Buffer.from(text, 'base64')] as const,
    ),
  ]);
}

function entriesOf(data: Json | undefined): readonly (readonly [string, string])[] {
  if (!isJsonObject(data)) return [];
  return Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? value : '']);
}
