/**
 * Generates BPF code that compares one argument of a system call. Arguments have 64 bits, but BPF compares
 * 32: the high words decide, and if they are equal, the low words. All comparisons are unsigned.
 */
import { unreachable } from '../assert.ts';
import type { BpfProgram, Label } from './bpf-program.ts';
import { highWordOffset, lowWordOffset } from './kernel-values.ts';
import type { SeccompArg } from './seccomp-profile.ts';

interface Words {
  readonly high: number;
  readonly low: number;
}

/** The code continues at `matched` if the condition holds, otherwise at `unmatched`. */
export function conditionCode(
  program: BpfProgram,
  arg: SeccompArg,
  matched: Label,
  unmatched: Label,
): Label {
  const { operator } = arg;
  switch (operator) {
    case 'EQ':
      return equalCode(program, arg, matched, unmatched);
    case 'NE':
      return equalCode(program, arg, unmatched, matched);
    case 'GE':
      return orderCode(program, arg, 'greater-or-equal', matched, unmatched);
    case 'LT':
      return orderCode(program, arg, 'greater-or-equal', unmatched, matched);
    case 'GT':
      return orderCode(program, arg, 'greater', matched, unmatched);
    case 'LE':
      return orderCode(program, arg, 'greater', unmatched, matched);
    case 'MASKED_EQ':
      return maskedCode(program, arg, matched, unmatched);
    default:
      return unreachable(operator);
  }
}

function equalCode(
  program: BpfProgram,
  { index, value }: SeccompArg,
  matched: Label,
  unmatched: Label,
): Label {
  const { high, low } = words(value);
  const lowCode = program.load(
    lowWordOffset(index),
    program.branch('equal', low, matched, unmatched),
  );
  return program.load(highWordOffset(index), program.branch('equal', high, lowCode, unmatched));
}

function orderCode(
  program: BpfProgram,
  { index, value }: SeccompArg,
  comparison: 'greater' | 'greater-or-equal',
  matched: Label,
  unmatched: Label,
): Label {
  const { high, low } = words(value);
  const lowCode = program.load(
    lowWordOffset(index),
    program.branch(comparison, low, matched, unmatched),
  );
  const sameHighCode = program.branch('equal', high, lowCode, unmatched);
  return program.load(
    highWordOffset(index),
    program.branch('greater', high, matched, sameHighCode),
  );
}

function maskedCode(
  program: BpfProgram,
  { index, value, valueTwo }: SeccompArg,
  matched: Label,
  unmatched: Label,
): Label {
  const mask = words(value);
  // libseccomp ignores bits of the second value that are outside the mask.
  const rest = words(valueTwo & value);
  const lowCode = maskedWordCode(program, lowWordOffset(index), mask.low, rest.low, [
    matched,
    unmatched,
  ]);
  return maskedWordCode(program, highWordOffset(index), mask.high, rest.high, [lowCode, unmatched]);
}

function maskedWordCode(
  program: BpfProgram,
  offset: number,
  mask: number,
  rest: number,
  [matched, unmatched]: readonly [Label, Label],
): Label {
  if (mask === 0) return matched;
  if (rest === 0) return program.load(offset, program.branch('any-bit', mask, unmatched, matched));
  const comparison = program.branch('equal', rest, matched, unmatched);
  return program.load(offset, program.and(mask, comparison));
}

function words(value: bigint): Words {
  return { high: Number(value >> 32n), low: Number(value & 0xffff_ffffn) };
}
