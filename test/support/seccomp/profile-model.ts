/**
 * What a profile means for one call, written as plainly as possible and for comparison only: no ranges,
 * no words of 32 bits, no code. call-decisions.ts states the rules.
 */
import type { SeccompTarget } from '../../../src/lib/seccomp/call-decisions.ts';
import type {
  SeccompAction,
  SeccompArg,
  SeccompProfile,
  SeccompRule,
} from '../../../src/lib/seccomp/seccomp-profile.ts';
import { syscallNumbers } from '../../../src/lib/seccomp/syscall-numbers.ts';
import type { SeccompData } from './bpf-interpreter.ts';

const NATIVE = { x64: 0xc000003e, arm64: 0xc00000b7, riscv64: 0xc00000f3 };
const GO_NAMES = { x64: 'amd64', arm64: 'arm64', riscv64: 'riscv64' };

/** The outcome in words: `allow`, `errno 1`, `kill-thread`, … */
export function expectedOutcome(
  profile: SeccompProfile,
  target: SeccompTarget,
  call: SeccompData,
): string {
  const byDefault = inWords(profile.defaultAction);
  const isX32 = target.processor === 'x64' && call.number >= 2 ** 30;
  if (call.architecture !== NATIVE[target.processor] || isX32) {
    return /^kill|^trap/.test(byDefault) ? byDefault : 'errno 38';
  }
  const used = profile.rules.filter((rule) => isUsed(rule, target));
  const named = used.flatMap(({ names }) => names.map((name) => numberOf(name, target)));
  if (Math.max(-1, ...named) < call.number && Math.max(-1, ...named) >= 0) {
    if (!/^(?:allow|log|trace)/.test(byDefault)) return 'errno 38';
  }
  const own = used
    .filter(({ names }) => names.some((name) => numberOf(name, target) === call.number))
    .filter(({ action }) => inWords(action) !== byDefault);
  const deciding =
    own.find(({ args }) => args.length === 0) ?? own.find(({ args }) => argsMatch(args, call.args));
  return deciding ? inWords(deciding.action) : byDefault;
}

/** A value that a filter returned, in the same words. */
export function outcomeOf(result: number): string {
  const action = (result & 0xffff0000) >>> 0;
  const data = result & 0xffff;
  const names: Readonly<Record<number, string>> = {
    0x80000000: 'kill-process',
    0x00000000: 'kill-thread',
    0x00030000: 'trap',
    0x00050000: `errno ${data}`,
    0x7ff00000: `trace ${data}`,
    0x7ffc0000: 'log',
    0x7fff0000: 'allow',
  };
  return names[action] ?? `unknown ${result}`;
}

function inWords({ type, data }: SeccompAction): string {
  return type === 'errno' || type === 'trace' ? `${type} ${data}` : type;
}

function numberOf(name: string, { processor }: SeccompTarget): number {
  return syscallNumbers(processor).get(name) ?? -1;
}

function isUsed({ includes, excludes }: SeccompRule, target: SeccompTarget): boolean {
  const has = (capability: string) => target.capabilities.includes(capability);
  const isHere = (processor: string) => processor === GO_NAMES[target.processor];
  const [version, revision] = target.kernel;
  const isNew = ([a, b]: readonly [number, number]) => version * 1000 + revision >= a * 1000 + b;
  if (excludes.capabilities.some(has) || excludes.processors.some(isHere)) return false;
  if (excludes.minKernel && isNew(excludes.minKernel)) return false;
  if (includes.capabilities.some((capability) => !has(capability))) return false;
  if (includes.processors.length > 0 && !includes.processors.some(isHere)) return false;
  return !includes.minKernel || isNew(includes.minKernel);
}

function argsMatch(args: readonly SeccompArg[], actual: readonly bigint[]): boolean {
  const indexes = args.map(({ index }) => index);
  const isRepeated = indexes.some((index, at) => indexes.indexOf(index) !== at);
  const holds = (arg: SeccompArg) => compare(arg, actual[arg.index] ?? 0n);
  return isRepeated ? args.some(holds) : args.every(holds);
}

function compare({ operator, value, valueTwo }: SeccompArg, actual: bigint): boolean {
  if (operator === 'EQ') return actual === value;
  if (operator === 'NE') return actual !== value;
  if (operator === 'LT') return actual < value;
  if (operator === 'LE') return actual <= value;
  if (operator === 'GE') return actual >= value;
  if (operator === 'GT') return actual > value;
  return (actual & value) === (valueTwo & value);
}
