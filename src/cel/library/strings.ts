/** String functions. They count code points: an emoji is one character, as in Go. */
import { codePoints } from '../../lib/code-points.ts';
import { CelError, noSuchOverload } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, type CelValue } from '../value.ts';
import { int, items, text } from './arguments.ts';
import { formatText } from './format-text.ts';

/** White space as Go defines it. */
const SPACE = /^[\s\u0085]+|[\s\u0085]+$/gu;

/** A start beyond the end finds nothing; a negative start is an error. */
function indexIn(subject: string, wanted: string, from: bigint): bigint {
  if (wanted === '') return from;
  if (from < 0n) throw outOfRange(from);
  const found = subject.indexOf(wanted, startOf(subject, from));
  return from >= BigInt(codePoints(subject).length) || found < 0 ? -1n : countTo(subject, found);
}

function lastIndexIn(subject: string, wanted: string, from: bigint): bigint {
  if (wanted === '') return from;
  if (from < 0n) throw outOfRange(from);
  const found = subject.lastIndexOf(wanted, startOf(subject, from));
  return from >= BigInt(codePoints(subject).length) || found < 0 ? -1n : countTo(subject, found);
}

function lastIndexAnywhere(subject: string, wanted: string): bigint {
  const found = subject.lastIndexOf(wanted);
  return found < 0 ? -1n : countTo(subject, found);
}

/** The UTF-16 position at which a code point begins. */
function startOf(subject: string, index: bigint): number {
  return codePoints(subject).slice(0, Number(index)).join('').length;
}

/** The number of code points before the UTF-16 position `at`. */
function countTo(subject: string, at: number): bigint {
  return BigInt(codePoints(subject.slice(0, at)).length);
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

function substring(subject: string, from: bigint, to: bigint | undefined): string {
  const points = codePoints(subject);
  const end = to ?? BigInt(points.length);
  if (from < 0n || from > BigInt(points.length)) throw outOfRange(from);
  if (end < 0n || end > BigInt(points.length)) throw outOfRange(end);
  if (from > end) throw new CelError(`invalid substring range. start: ${from}, end: ${end}`);
  return points.slice(Number(from), Number(end)).join('');
}

function charAt(subject: string, index: bigint): string {
  const points = codePoints(subject);
  if (index < 0n || index > BigInt(points.length)) throw outOfRange(index);
  return points[Number(index)] ?? '';
}

function split(subject: string, separator: string, most: bigint): CelValue {
  const parts = separator === '' ? codePoints(subject) : subject.split(separator);
  if (most === 0n) return new ListValue([]);
  if (most < 0n || BigInt(parts.length) <= most) return new ListValue(parts);
  const kept = parts.slice(0, Number(most) - 1);
  return new ListValue([...kept, parts.slice(Number(most) - 1).join(separator)]);
}

function replace(subject: string, before: string, after: string, most: bigint): string {
  const parts = before === '' ? ['', ...codePoints(subject), ''] : subject.split(before);
  const count = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1);
  const replaced = parts.slice(0, count + 1).join(after);
  return [replaced, ...parts.slice(count + 1)].join(before);
}

function join(value: CelValue | undefined, separator: string): string {
  return items(value)
    .map((item) => {
      if (typeof item !== 'string') throw noSuchOverload();
      return item;
    })
    .join(separator);
}

function lowerAscii(subject: string): string {
  return subject.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function upperAscii(subject: string): string {
  return subject.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** An overload that charges for the length of its string arguments before it runs. */
function walking(
  signature: string,
  run: (args: readonly (CelValue | undefined)[]) => CelValue,
): Overload {
  return overload(signature, (args, budget) => {
    for (const arg of args) if (typeof arg === 'string') budget.walk(arg.length);
    return run(args);
  });
}

export const strings: readonly Overload[] = [
  walking('string.contains(string): bool', ([a, b]) => text(a).includes(text(b))),
  walking('string.startsWith(string): bool', ([a, b]) => text(a).startsWith(text(b))),
  walking('string.endsWith(string): bool', ([a, b]) => text(a).endsWith(text(b))),
  walking('string.charAt(int): string', ([a, b]) => charAt(text(a), int(b))),
  walking('string.indexOf(string): int', ([a, b]) => indexIn(text(a), text(b), 0n)),
  walking('string.indexOf(string, int): int', ([a, b, c]) => indexIn(text(a), text(b), int(c))),
  walking('string.lastIndexOf(string): int', ([a, b]) => lastIndexAnywhere(text(a), text(b))),
  walking('string.lastIndexOf(string, int): int', ([a, b, c]) =>
    lastIndexIn(text(a), text(b), int(c)),
  ),
  walking('string.lowerAscii(): string', ([a]) => lowerAscii(text(a))),
  walking('string.upperAscii(): string', ([a]) => upperAscii(text(a))),
  walking('string.trim(): string', ([a]) => text(a).replaceAll(SPACE, '')),
  walking('string.substring(int): string', ([a, b]) => substring(text(a), int(b), undefined)),
  walking('string.substring(int, int): string', ([a, b, c]) => substring(text(a), int(b), int(c))),
  walking('string.split(string): list<string>', ([a, b]) => split(text(a), text(b), -1n)),
  walking('string.split(string, int): list<string>', ([a, b, c]) =>
    split(text(a), text(b), int(c)),
  ),
  overload('string.replace(string, string): string', ([a, b, c], budget) => {
    budget.walk(text(a).length * Math.max(1, text(c).length));
    return replace(text(a), text(b), text(c), -1n);
  }),
  overload('string.replace(string, string, int): string', ([a, b, c, d], budget) => {
    budget.walk(text(a).length * Math.max(1, text(c).length));
    return replace(text(a), text(b), text(c), int(d));
  }),
  overload('list<string>.join(): string', ([a], budget) => {
    budget.spend(items(a).length);
    return join(a, '');
  }),
  overload('list<string>.join(string): string', ([a, b], budget) => {
    budget.walk(items(a).length * Math.max(10, text(b).length));
    return join(a, text(b));
  }),
  walking('strings.quote(string): string', ([a]) => JSON.stringify(text(a))),
  walking('string.format(list<dyn>): string', ([a, b]) => formatText(text(a), items(b))),
];
