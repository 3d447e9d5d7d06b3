/** Kinds of fields that stand in few places: paths, thresholds, and what may be missing altogether. */
import path from 'node:path';
import type { Json } from '../../lib/json.ts';
import { quantity, text, type Kind } from './field-kinds.ts';

const PERCENT_MAX = 100;

/** Relative paths begin at the folder of the file that they stand in, as for the kubelet. */
export function file(initial = '', isPointer = false): Kind<string> {
  const plain = text(initial, isPointer);
  return {
    ...plain,
    read(value, place) {
      const read = plain.read(value, place);
      return read === '' || read === initial ? read : path.resolve(place.folder, read);
    },
  };
}

/** Null: nobody says anything. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | null> {
  return {
    initial: null,
    read: (value, place) => kind.read(value, place),
    write: (value) => (value === null ? undefined : kind.write(value)),
  };
}

/** An amount, or a share of the whole such as 10%. */
export const threshold: Kind<string> = {
  ...quantity('0'),
  read(value: Json, place) {
    if (typeof value !== 'string' || !value.endsWith('%')) return quantity('0').read(value, place);
    const percent = Number(value.slice(0, -1));
    if (/^\d+(?:\.\d+)?%$/.test(value) && percent <= PERCENT_MAX) return value;
    place.complain(`must be a quantity or a percentage from 0% to ${PERCENT_MAX}%`);
    return value;
  },
};
