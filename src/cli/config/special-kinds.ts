/** Rare kinds of configuration fields: paths, thresholds, and optional fields. */
import path from 'node:path';
import type { Json } from '../../lib/json.ts';
import { quantity, text, type Kind } from './field-kinds.ts';

const PERCENT_MAX = 100;

/** A relative path starts at the folder of the configuration file, as in the kubelet. */
export function file(initial = '', isPointer = false): Kind<string> {
  const plain = text(initial, isPointer);
  return {
    ...plain,
    read(value, at) {
      const read = plain.read(value, at);
      return read === '' || read === initial ? read : path.resolve(at.folder, read);
    },
  };
}

/** Null: the field is not set. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | null> {
  return {
    initial: null,
    read: (value, at) => kind.read(value, at),
    write: (value) => (value === null ? undefined : kind.write(value)),
  };
}

/** An amount, or a share of the whole such as 10%. */
export const threshold: Kind<string> = {
  ...quantity('0'),
  read(value: Json, at) {
    if (typeof value !== 'string' || !value.endsWith('%')) return quantity('0').read(value, at);
    const percent = Number(value.slice(0, -1));
    if (/^\d+(?:\.\d+)?%$/.test(value) && percent <= PERCENT_MAX) return value;
    at.addProblem(`must be a quantity or a percentage from 0% to ${PERCENT_MAX}%`);
    return value;
  },
};
