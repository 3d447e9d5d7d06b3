/** Conversion functions such as `int()` and `string()`, and `size()`. */
import { codePoints } from '../../lib/code-points.ts';
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { printType } from '../type.ts';
import {
  Duration,
  kindOf,
  ListValue,
  MapValue,
  MessageValue,
  Timestamp,
  TypeValue,
  Uint,
  type CelValue,
} from '../value.ts';
import { bool, bytes, double, duration, int, items, text, timestamp } from './arguments.ts';
import { checkInt, checkUint } from './operators.ts';
import {
  printDouble,
  printDuration,
  printTimestamp,
  readDuration,
  readTimestamp,
} from './time-text.ts';

const NANOS = 1_000_000_000n;

function uint(value: CelValue | undefined): bigint {
  return value instanceof Uint ? value.value : int(value);
}

function whole(value: number, what: string): bigint {
  if (!Number.isFinite(value)) throw new CelError(`${what} overflow`);
  return BigInt(Math.trunc(value));
}

function readWhole(value: string, target: string): bigint {
  if (!/^[-+]?\d+$/.test(value)) {
    throw new CelError(`type conversion error from 'string' to '${target}'`);
  }
  return BigInt(value.replace(/^\+/, ''));
}

function readDouble(value: string): number {
  if (/^[-+]?(?:inf|infinity)$/i.test(value)) return value.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(value)) return Number.NaN;
  if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value)) return Number(value);
  throw new CelError("type conversion error from 'string' to 'double'");
}

const TRUE = new Set(['1', 't', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'false', 'FALSE', 'False']);

function readBool(value: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw new CelError("type conversion error from 'string' to 'bool'");
}

function require<T>(value: T | undefined, problem: string): T {
  if (value === undefined) throw new CelError(problem);
  return value;
}

const numbers: readonly Overload[] = [
  overload('int(int): int', ([a]) => int(a)),
  overload('int(uint): int', ([a]) => checkInt(uint(a))),
  overload('int(double): int', ([a]) => checkInt(whole(double(a), 'integer'))),
  overload('int(string): int', ([a]) => checkInt(readWhole(text(a), 'int'))),
  overload('int(timestamp): int', ([a]) => timestamp(a).nanos / NANOS),
  overload('int(duration): int', ([a]) => duration(a).nanos),
  overload('uint(uint): uint', ([a]) => checkUint(uint(a))),
  overload('uint(int): uint', ([a]) => checkUint(int(a))),
  overload('uint(double): uint', ([a]) => checkUint(whole(double(a), 'unsigned integer'))),
  overload('uint(string): uint', ([a]) => checkUint(readWhole(text(a), 'uint'))),
  overload('double(double): double', ([a]) => double(a)),
  overload('double(int): double', ([a]) => Number(int(a))),
  overload('double(uint): double', ([a]) => Number(uint(a))),
  overload('double(string): double', ([a]) => readDouble(text(a))),
];

const texts: readonly Overload[] = [
  overload('string(string): string', ([a]) => text(a)),
  overload('string(bool): string', ([a]) => String(bool(a))),
  overload('string(int): string', ([a]) => String(int(a))),
  overload('string(uint): string', ([a]) => String(uint(a))),
  overload('string(double): string', ([a]) => printDouble(double(a))),
  overload('string(bytes): string', ([a]) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes(a));
    } catch {
      throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
    }
  }),
  overload('string(timestamp): string', ([a]) => printTimestamp(timestamp(a))),
  overload('string(duration): string', ([a]) => printDuration(duration(a))),
  overload('bytes(bytes): bytes', ([a]) => bytes(a)),
  overload('bytes(string): bytes', ([a]) => Buffer.from(text(a))),
  overload('bool(bool): bool', ([a]) => bool(a)),
  overload('bool(string): bool', ([a]) => readBool(text(a))),
];

const others: readonly Overload[] = [
  overload('timestamp(timestamp): timestamp', ([a]) => timestamp(a)),
  overload('timestamp(int): timestamp', ([a]) => new Timestamp(int(a) * NANOS)),
  overload('timestamp(string): timestamp', ([a]) =>
    require(readTimestamp(text(a)), "type conversion error from 'string' to 'timestamp'"),
  ),
  overload('duration(duration): duration', ([a]) => duration(a)),
  overload('duration(int): duration', ([a]) => new Duration(int(a))),
  overload('duration(string): duration', ([a]) =>
    require(readDuration(text(a)), "type conversion error from 'string' to 'duration'"),
  ),
  overload('dyn(T): dyn', ([a = null]) => a),
  overload('type(T): type', ([a = null]) => new TypeValue(typeName(a))),
];

function typeName(value: CelValue): string {
  if (value instanceof MessageValue) return value.type;
  const kind = kindOf(value);
  if (kind === 'list' || kind === 'map' || kind === 'object' || kind === 'message') return kind;
  if (kind === 'optional') return 'optional_type';
  if (kind === 'param') return 'dyn';
  if (kind === 'timestamp') return 'google.protobuf.Timestamp';
  if (kind === 'duration') return 'google.protobuf.Duration';
  return kind === 'null' ? 'null_type' : printType({ kind });
}

function sizeOf(value: CelValue | undefined): bigint {
  if (typeof value === 'string') return BigInt(codePoints(value).length);
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof ListValue) return BigInt(value.items.length);
  if (value instanceof MapValue) return BigInt(value.size);
  return BigInt(items(value).length);
}

const sizes: readonly Overload[] = ['string', 'bytes', 'list<T>', 'map<K, V>'].flatMap((type) => [
  overload(`size(${type}): int`, ([a], budget) => {
    if (typeof a === 'string') budget.walk(a.length);
    return sizeOf(a);
  }),
  overload(`${type}.size(): int`, ([a], budget) => {
    if (typeof a === 'string') budget.walk(a.length);
    return sizeOf(a);
  }),
]);

export const conversions: readonly Overload[] = [...numbers, ...texts, ...others, ...sizes];
