/**
 * Kinds of fields: how a value in a file is read, what holds when it is not said, and how /configz
 * prints it.
 *
 * The kubelet is written in Go, where a field that is no pointer cannot tell zero from "not said". So
 * for those zero stands for the default, and `pointer` marks the others, in which zero counts.
 */
import { parseQuantity } from '../../api/quantity-text.ts';
import { signOfQuantity } from '../../api/quantity.ts';
import { formatGoDuration, parseGoDuration } from '../../api/time-duration.ts';
import { parseIp } from '../../lib/ip.ts';
import type { Json } from '../../lib/json.ts';
import { suggest } from './did-you-mean.ts';
import type { Place } from './place.ts';

export interface Kind<Value> {
  /** What holds if nobody says anything. */
  readonly initial: Value;
  /** Stands behind the name in our configuration: `syncFrequency: 1m` becomes `syncFrequencyMs`. */
  readonly unit?: 'Ms';
  /** What is bad is complained about at its place; what is returned then does not matter. */
  read(value: Json, place: Place): Value;
  /** Undefined: /configz leaves it out. */
  write(value: Value): Json | undefined;
}

export interface DurationKind extends Kind<number> {
  readonly unit: 'Ms';
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly isPointer?: boolean;
}

const INT32_MAX = 2 ** 31 - 1;

export function flag(initial: boolean, isPointer = true): Kind<boolean> {
  return {
    initial,
    read: (value, place) =>
      typeof value === 'boolean' ? value : reject(place, 'must be true or false', initial),
    write: (value) => (value || isPointer ? value : undefined),
  };
}

export function int(initial: number, bounds: Bounds = {}): Kind<number> {
  const { min = 0, max = INT32_MAX, isPointer = false } = bounds;
  return {
    initial,
    read(value, place) {
      if (value === 0 && !isPointer) return initial;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
        return value;
      }
      return reject(place, `must be a whole number from ${min} to ${max}`, initial);
    },
    write: (value) => (value === 0 && !isPointer ? undefined : value),
  };
}

export function fraction(initial: number): Kind<number> {
  return {
    initial,
    read: (value, place) =>
      typeof value === 'number' ? value : reject(place, 'must be a number', initial),
    write: (value) => value,
  };
}

export function text(initial = '', isPointer = false): Kind<string> {
  return {
    initial,
    read(value, place) {
      if (typeof value !== 'string') return reject(place, 'must be a string', initial);
      return value === '' && !isPointer ? initial : value;
    },
    write: (value) => (value === '' && !isPointer ? undefined : value),
  };
}

export function choice<const Option extends string>(
  initial: Option,
  options: readonly Option[],
): Kind<Option> {
  return {
    initial,
    read(value, place) {
      if (value === '') return initial;
      const chosen = options.find((option) => option === value);
      if (chosen !== undefined) return chosen;
      const hint = typeof value === 'string' ? suggest(value, options) : '';
      return reject(place, `must be ${options.join(' or ')}${hint}`, initial);
    },
    write: (value) => value,
  };
}

export function address(initial: string): Kind<string> {
  return {
    ...text(initial),
    read(value, place) {
      if (value === '') return initial;
      if (typeof value === 'string' && parseIp(value)) return value;
      return reject(place, 'must be an IP address, such as 127.0.0.1', initial);
    },
  };
}

/** `initial` is in Go's text as well. Negative ones have no meaning anywhere. */
export function duration(initial: string, bounds: Bounds = {}): DurationKind {
  const { min: minMs = 0, max: maxMs = Number.POSITIVE_INFINITY } = bounds;
  const initialMs = parseGoDuration(initial);
  return {
    initial: initialMs,
    unit: 'Ms',
    read(value, place) {
      // Files that kubeadm writes have a bare 0 where nothing is to be said.
      if (value === 0 || value === '') return initialMs;
      const ms = typeof value === 'string' ? tryParse(value, parseGoDuration) : undefined;
      if (ms === undefined) {
        return reject(place, 'must be a duration, such as 10s or 1h30m', initialMs);
      }
      if (ms === 0) return initialMs;
      if (ms < minMs) {
        return reject(place, `must be at least ${formatGoDuration(minMs)}`, initialMs);
      }
      return ms <= maxMs
        ? ms
        : reject(place, `must be at most ${formatGoDuration(maxMs)}`, initialMs);
    },
    write: formatGoDuration,
  };
}

/** It stays as it was written, such as 10Mi. */
export function quantity(initial: string): Kind<string> {
  return {
    ...text(initial),
    read(value, place) {
      if (value === '') return initial;
      const written = typeof value === 'number' ? String(value) : value;
      const parsed = typeof written === 'string' ? tryParse(written, parseQuantity) : undefined;
      if (typeof written === 'string' && parsed && signOfQuantity(parsed) >= 0) return written;
      return reject(
        place,
        'must be a quantity that is not negative, such as 500m or 10Mi',
        initial,
      );
    },
  };
}

/** The kubelet knows the field; podkeep has only its default to offer. */
export function notOffered<Value>(kind: Kind<Value>): NotOffered {
  const said = (value: Value): string => JSON.stringify(kind.write(value) ?? null);
  return {
    initial: null,
    isOffered: false,
    read(value, place) {
      const complaints = place.complaints.length;
      const read = kind.read(value, place);
      if (place.complaints.length === complaints && said(read) !== said(kind.initial)) {
        const only = kind.write(kind.initial);
        const rest = only === undefined ? 'leave it out' : `it can only be ${JSON.stringify(only)}`;
        place.complain(`is not offered by podkeep; ${rest}`);
      }
      return null;
    },
    write: () => kind.write(kind.initial),
  };
}

export interface NotOffered extends Kind<null> {
  readonly isOffered: false;
}

export function reject<Value>(place: Place, problem: string, initial: Value): Value {
  place.complain(problem);
  return initial;
}

function tryParse<Value>(written: string, parse: (written: string) => Value): Value | undefined {
  try {
    return parse(written);
  } catch {
    return undefined; // whoever asked says what is wanted instead
  }
}
