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

/** The longer the pattern, the more there is to do for each letter. */
function charge(subject: Value | undefined, pattern: Value | undefined, budget: Budget): void {
  budget.walk(text(subject).length * Math.max(1, text(pattern).length / 4));
}

function findAll(subject: string, { expression }: Pattern, most: bigint): Value {
  const found: string[] = [];
  const matcher = expression.matcher(subject);
  while (matcher.find()) found.push(matcher.group() ?? '');
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
    return findAll(text(a), patternOf(b), -1n);
  }),
  overload('string.findAll(string, int): list<string>', ([a, b, c], budget) => {
    charge(a, b, budget);
    return findAll(text(a), patternOf(b), int(c));
  }),
];
