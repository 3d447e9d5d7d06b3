/**
 * Defines the kinds of configuration fields: how a value in a file is read, its default, and how /configz
 * prints it.
 *
 * In the Go types of Kubernetes' kubelet, a field that is not a pointer cannot distinguish zero from unset.
 * For such a field zero means the default; `isPointer` marks the fields in which zero is a value.
 */
import { parseQuantity } from '../../api/values/quantity-text.ts';
import { signOfQuantity } from '../../api/values/quantity.ts';
import { formatGoDuration, parseGoDuration } from '../../api/values/time-duration.ts';
import { parseIp } from '../../lib/ip.ts';
import type { Json } from '../../lib/json.ts';
import { suggest } from './did-you-mean.ts';
import type { ConfigPath } from './config-path.ts';

export interface Kind<Value> {
  /** The default. */
  readonly initial: Value;
  /** The suffix of the name in KubeletConfig: `syncFrequency: 1m` becomes `syncFrequencyMs`. */
  readonly unit?: 'Ms';
  /** Reports an invalid value at its path, and then returns any value. */
  read(value: Json, at: ConfigPath): Value;
  /** Undefined: /configz omits the field. */
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
    read: (value, at) =>
      typeof value === 'boolean' ? value : reject(at, 'must be true or false', initial),
    write: (value) => (value || isPointer ? value : undefined),
  };
}

export function int(initial: number, bounds: Bounds = {}): Kind<number> {
  const { min = 0, max = INT32_MAX, isPointer = false } = bounds;
  return {
    initial,
    read(value, at) {
      if (value === 0 && !isPointer) return initial;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
        return value;
      }
      return reject(at, `must be a whole number from ${min} to ${max}`, initial);
    },
    write: (value) => (value === 0 && !isPointer ? undefined : value),
  };
}

export function fraction(initial: number): Kind<number> {
  return {
    initial,
    read: (value, at) =>
      typeof value === 'number' ? value : reject(at, 'must be a number', initial),
    write: (value) => value,
  };
}

export function text(initial = '', isPointer = false): Kind<string> {
  return {
    initial,
    read(value, at) {
      if (typeof value !== 'string') return reject(at, 'must be a string', initial);
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
    read(value, at) {
      if (value === '') return initial;
      const chosen = options.find((option) => option === value);
      if (chosen !== undefined) return chosen;
      const hint = typeof value === 'string' ? suggest(value, options) : '';
      return reject(at, `must be ${options.join(' or ')}${hint}`, initial);
    },
    write: (value) => value,
  };
}

export function address(initial: string): Kind<string> {
  return {
    ...text(initial),
    read(value, at) {
      if (value === '') return initial;
      if (typeof value === 'string' && parseIp(value)) return value;
      return reject(at, 'must be an IP address, such as 127.0.0.1', initial);
    },
  };
}

/** `initial` is in Go's notation, too. Negative durations are refused. */
export function duration(initial: string, bounds: Bounds = {}): DurationKind {
  const { min: minMs = 0, max: maxMs = Number.POSITIVE_INFINITY } = bounds;
  const initialMs = parseGoDuration(initial);
  return {
    initial: initialMs,
    unit: 'Ms',
    read(value, at) {
      // kubeadm writes a bare 0 for unset durations.
      if (value === 0 || value === '') return initialMs;
      const ms = typeof value === 'string' ? tryParse(value, parseGoDuration) : undefined;
      if (ms === undefined) {
        return reject(at, 'must be a duration, such as 10s or 1h30m', initialMs);
      }
      if (ms === 0) return initialMs;
      if (ms < minMs) {
        return reject(at, `must be at least ${formatGoDuration(minMs)}`, initialMs);
      }
      return ms <= maxMs ? ms : reject(at, `must be at most ${formatGoDuration(maxMs)}`, initialMs);
    },
    write: formatGoDuration,
  };
}

/** The value stays in its written form, such as 10Mi. */
export function quantity(initial: string): Kind<string> {
  return {
    ...text(initial),
    read(value, at) {
      if (value === '') return initial;
      const written = typeof value === 'number' ? String(value) : value;
      const parsed = typeof written === 'string' ? tryParse(written, parseQuantity) : undefined;
      if (typeof written === 'string' && parsed && signOfQuantity(parsed) >= 0) return written;
      return reject(at, 'must be a quantity that is not negative, such as 500m or 10Mi', initial);
    },
  };
}

/** A field that the kubelet has, but of which podkeep supports only the default. */
export function notOffered<Value>(kind: Kind<Value>): NotOffered {
  const given = (value: Value): string => JSON.stringify(kind.write(value) ?? null);
  return {
    initial: null,
    isOffered: false,
    read(value, at) {
      const problems = at.problems.length;
      const read = kind.read(value, at);
      if (at.problems.length === problems && given(read) !== given(kind.initial)) {
        const only = kind.write(kind.initial);
        const rest = only === undefined ? 'leave it out' : `it can only be ${JSON.stringify(only)}`;
        at.addProblem(`is not offered by podkeep; ${rest}`);
      }
      return null;
    },
    write: () => kind.write(kind.initial),
  };
}

export interface NotOffered extends Kind<null> {
  readonly isOffered: false;
}

export function reject<Value>(at: ConfigPath, problem: string, initial: Value): Value {
  at.addProblem(problem);
  return initial;
}

function tryParse<Value>(written: string, parse: (written: string) => Value): Value | undefined {
  try {
    return parse(written);
  } catch {
    return undefined; // the caller reports what is expected instead
  }
}
