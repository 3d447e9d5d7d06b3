/** Which message an apiVersion and a kind stand for, if any. */
import { kindOf } from '../schema/schema.ts';
import type { StructType } from '../schema/shape.ts';
import { kindMissing, kindUnknown, kindWithoutMessage } from './protobuf-error.ts';

/** Clients send these in every apiVersion, those of custom resources included. */
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

/** Whether JSON shows apiVersion and kind, which the envelope carries and the message does not. */
export function hasTypeMeta(type: StructType): boolean {
  const kind = type.field('kind');
  return kind !== undefined && kind.number === undefined;
}
