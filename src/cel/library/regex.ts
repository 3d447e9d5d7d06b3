/** Functions on regular expressions (RE2), which match in linear time. */
import { compilePattern, type Pattern } from '../../lib/re2/pattern.ts';
import { CelError, type Budget } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, type CelValue } from '../value.ts';
import { int, text } from './arguments.ts';

function patternOf(value: CelValue | undefined): Pattern {
  const compiled = compilePattern(text(value));
  if ('fault' in compiled) throw new CelError(`error parsing regexp: ${compiled.fault}`);
  return compiled;
}

/**
 * Charges for a match. The cost per character grows with the pattern, whose compiled program may be longer
 * than its text.
 */
function charge(
  subject: CelValue | undefined,
  pattern: CelValue | undefined,
  budget: Budget,
): void {
  const { length } = text(pattern);
  const { size } = patternOf(pattern);
  budget.walk(text(subject).length * Math.max(1, length / 4, size / 4));
}

/** Keeps one unit of cost well below a microsecond. */
const STEPS_PER_COST = 2;

function findAll(
  subject: string,
  { expression, size }: Pattern,
  most: bigint,
  budget: Budget,
): CelValue {
  const found: string[] = [];
  const matcher = expression.matcher(subject);
  while (matcher.find()) {
    found.push(matcher.group() ?? '');
    // Each search may scan the whole rest, however short its match is.
    budget.spend(Math.ceil(((subject.length - matcher.end()) * size) / STEPS_PER_COST));
  }
  return new ListValue(most < 0n ? found : found.slice(0, Number(most)));
}

export const regex: readonly Overload[] = [
  overload('string.matches(string): bool', ([a, b], budget) => {
    charge(a, b, budget);
    return patternOf(b).matches(text(a));
  }),
  overload('matches(string, string): bool', ([a, b], budget) => {
    charge(a, b, budget);
    return patternOf(b).matches(text(a));
  }),
  overload('string.find(string): string', ([a, b], budget) => {
    charge(a, b, budget);
    const matcher = patternOf(b).expression.matcher(text(a));
    return matcher.find() ? (matcher.group() ?? '') : '';
  }),
  overload('string.findAll(string): list<string>', ([a, b], budget) => {
    charge(a, b, budget);
    return findAll(text(a), patternOf(b), -1n, budget);
  }),
  overload('string.findAll(string, int): list<string>', ([a, b, c], budget) => {
    charge(a, b, budget);
    return findAll(text(a), patternOf(b), int(c), budget);
  }),
];
