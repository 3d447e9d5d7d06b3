/** Finds the protobuf message type of an apiVersion and kind. */
import { kindOf } from '../schema/schema.ts';
import type { StructType } from '../schema/shape.ts';
import { kindMissing, kindUnknown, kindWithoutMessage } from './protobuf-error.ts';

/** Kinds that clients send in every apiVersion, even in those of custom resources. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);

export function messageOf(apiVersion: string, kind: string): StructType {
  if (apiVersion === '' || kind === '') throw kindMissing({ apiVersion, kind });
  const found = kindOf(EVERYWHERE.has(kind) ? 'v1' : apiVersion, kind);
  if (found === undefined) throw kindUnknown({ apiVersion, kind });
  const { type } = found;
  const [isEmpty, isEmptyMessage] = [type.fields.length === 0, type.messageFields.length === 0];
  if (isEmptyMessage && !isEmpty) throw kindWithoutMessage({ apiVersion, kind });
  return type;
}

/** Whether the JSON has apiVersion and kind, which are in the envelope and not in the message. */
export function hasTypeMeta(type: StructType): boolean {
  const kind = type.field('kind');
  return kind !== undefined && kind.number === undefined;
}
