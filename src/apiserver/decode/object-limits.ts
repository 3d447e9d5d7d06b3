/**
 * Limits the size of an object.
 *
 * etcd refuses requests above 1.5 MiB, which kube-apiserver reports as a 500 without a reason; its etcd
 * client refuses to send more than 2 MiB. The limit on parts (fields and items) is this server's own:
 * validation time grows with their number, and no other request is answered meanwhile.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { surveyText } from './nesting.ts';
import { StatusError, unexpected } from '../objects/status.ts';

const INT64_CHARS = 20;
const BYTES_MAX = 1536 * 1024;
const SENT_BYTES_MAX = 2 * 1024 * 1024;
const PARTS_MAX = 50_000;
const GROWTH = 4;
const GROWTH_PARTS = 1000;
const GROWTH_BYTES = 64 * 1024;
/** For the text of a patch, which may have several parts for one part of the object. */
export const PATCH_PARTS_MAX = 2 * PARTS_MAX;

/** Throws a StatusError for an object that etcd would refuse. */
export function checkStoredSize(object: JsonObject): void {
  const { bytes } = measure(object, PARTS_MAX, 2 * SENT_BYTES_MAX);
  if (bytes > SENT_BYTES_MAX) {
    throw unexpected(
      'rpc error: code = ResourceExhausted desc = trying to send message larger than max ' +
        `(${bytes} vs. ${SENT_BYTES_MAX})`,
    );
  }
  if (bytes > BYTES_MAX) throw unexpected('etcdserver: request is too large');
}

/** Throws a StatusError for a body, or the result of a patch, that takes too long to validate. */
export function checkParts(object: JsonObject): void {
  const { parts } = measure(object, PARTS_MAX, Number.POSITIVE_INFINITY);
  if (parts > PARTS_MAX) throw tooManyParts(PARTS_MAX);
}

/**
 * Whether an object is so much larger than the one that it was made of that no conversion of fields explains
 * it. Results are cached, so a webhook could otherwise fill the memory with small requests.
 */
export function isInflated(object: JsonObject, original: JsonObject): boolean {
  const before = measure(original, PARTS_MAX, SENT_BYTES_MAX);
  const partsMax = Math.min(PARTS_MAX, GROWTH * before.parts + GROWTH_PARTS);
  const bytesMax = Math.min(BYTES_MAX, GROWTH * before.bytes + GROWTH_BYTES);
  const after = measure(object, partsMax, bytesMax);
  return after.parts > partsMax || after.bytes > bytesMax;
}

/** The same for JSON text before it is parsed, because parsing takes long, too. */
export function checkTextParts(text: string, partsMax = PARTS_MAX): void {
  if (text.length <= partsMax) return;
  if (surveyText(text).parts > partsMax) throw tooManyParts(partsMax);
}

function tooManyParts(limit: number): StatusError {
  const message = `Request entity too large: the object has more than ${limit} fields and items`;
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

/** Whether the JSON of a value is longer than this. Estimated without printing it. */
export function isLonger(value: Json, bytes: number): boolean {
  return measure(value, Number.POSITIVE_INFINITY, bytes).bytes > bytes;
}

/** Stops as soon as a limit is exceeded: values share parts, and their JSON can be larger than memory. */
function measure(
  value: Json,
  partsMax: number,
  bytesMax: number,
): { readonly parts: number; readonly bytes: number } {
  const waiting: Json[] = [value];
  let parts = 0;
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    parts += 1;
    if (typeof next === 'string') bytes += Buffer.byteLength(next) + 2;
    else if (Array.isArray(next)) {
      bytes += next.length + 1;
      if (next.length > partsMax) return { parts: next.length, bytes };
      for (const item of next) waiting.push(item);
    } else if (isJsonObject(next)) {
      bytes += 1;
      for (const key of Object.keys(next)) {
        bytes += Buffer.byteLength(key) + 4;
        waiting.push(next[key] ?? null);
      }
    } else bytes += typeof next === 'bigint' ? INT64_CHARS : JSON.stringify(next).length;
    if (parts + waiting.length > partsMax || bytes > bytesMax) {
      return { parts: parts + waiting.length, bytes };
    }
  }
  return { parts, bytes };
}
