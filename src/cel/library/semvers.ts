/** The semver library (SemVer 2.0): `semver('1.2.3').isLessThan(semver('1.10.0'))`. */
import { CelError } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { Opaque, type SemverParts, type CelValue } from '../value.ts';
import { bool, semverParts, text } from './arguments.ts';

const NUMBER = '(0|[1-9]\\d*)';
const WORD = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${WORD}(?:\\.${WORD})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** `isLenient`: a leading v, missing parts and leading zeros are normalized first. */
function read(value: string, isLenient: boolean): SemverParts | undefined {
  const match = SEMVER.exec(isLenient ? normalize(value) : value);
  if (!match) return undefined;
  const [, major = '0', minor = '0', patch = '0', before = ''] = match;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    before: before === '' ? [] : before.split('.'),
    // Build metadata is ignored.
    text: `${major}.${minor}.${patch}-${before}`,
  };
}

function normalize(value: string): string {
  const [, core = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(value) ?? [];
  const numbers = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (rest !== '' || numbers.length > 3) return `${numbers.join('.')}${rest}`;
  while (numbers.length < 3) numbers.push('0');
  return numbers.join('.');
}

function semver(value: CelValue | undefined): SemverParts {
  return semverParts(value);
}

function made(value: string, isLenient: boolean): CelValue {
  const found = read(value, isLenient);
  if (!found) {
    const isShort = value.split('.').length < 3;
    const why = `Invalid character(s) found in ${JSON.stringify(value)}`;
    throw new CelError(isShort ? 'No Major.Minor.Patch elements found' : why);
  }
  return new Opaque('Semver', found);
}

function compare(a: SemverParts, b: SemverParts): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  // A pre-release precedes the release of the same version.
  if (a.before.length === 0 || b.before.length === 0) {
    return Math.sign(b.before.length - a.before.length);
  }
  return compareWords(a.before, b.before);
}

function compareWords(a: readonly string[], b: readonly string[]): number {
  for (const [index, word] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = compareWord(word, other);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

function compareWord(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Math.sign(Number(BigInt(a) - BigInt(b)));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const semvers: readonly Overload[] = [
  overload('semver(string): Semver', ([a]) => made(text(a), false)),
  overload('semver(string, bool): Semver', ([a, b]) => made(text(a), bool(b))),
  overload('isSemver(string): bool', ([a]) => read(text(a), false) !== undefined),
  overload('isSemver(string, bool): bool', ([a, b]) => read(text(a), bool(b)) !== undefined),
  overload('Semver.isGreaterThan(Semver): bool', ([a, b]) => compare(semver(a), semver(b)) > 0),
  overload('Semver.isLessThan(Semver): bool', ([a, b]) => compare(semver(a), semver(b)) < 0),
  overload('Semver.compareTo(Semver): int', ([a, b]) => BigInt(compare(semver(a), semver(b)))),
  overload('Semver.major(): int', ([a]) => semver(a).numbers[0]),
  overload('Semver.minor(): int', ([a]) => semver(a).numbers[1]),
  overload('Semver.patch(): int', ([a]) => semver(a).numbers[2]),
];
