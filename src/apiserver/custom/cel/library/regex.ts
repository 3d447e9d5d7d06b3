/** Patterns (RE2), matched in linear time. */
import { compilePattern, type Pattern } from '../../value/pattern.ts';
import { CelError, type Budget } from '../fault.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, type Value } from '../value.ts';
import { int, text } from './arguments.ts';

function patternOf(value: Value | undefined): Pattern {
  const compiled = compilePattern(text(value));
  if ('fault' in compiled) throw new CelError(`error parsing regexp: ${compiled.fault}`);
  return compiled;
}

/** The longer the pattern, the more there is to do for each letter; its program may be longer yet. */
function charge(subject: Value | undefined, pattern: Value | undefined, budget: Budget): void {
  const { length } = text(pattern);
  const { size } = patternOf(pattern);
  budget.walk(text(subject).length * Math.max(1, length / 4, size / 4));
}

/** So that a unit of cost stays well below a microsecond. */
const STEPS_PER_COST = 5;

function findAll(
  subject: string,
  { expression, size }: Pattern,
  most: bigint,
  budget: Budget,
): Value {
  const found: string[] = [];
  const matcher = expression.matcher(subject);
  while (matcher.find()) {
    found.push(matcher.group() ?? '');
    // Each search may look at all that is left, however short what it finds.
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
