/**
 * Many small attacks by one pod, each with its own result. A pod costs more than most of what it can try;
 * a battery runs scripts one after the other, between two lines that prove that each of them ran.
 */
import { findingIn, runPod, type Check, type PodOutput } from './pod-attack.ts';
import type { PodShape } from './pods.ts';
import type { Target } from './target.ts';
import { breached, held, MODES, skipped, unproven } from './types.ts';
import type { Attack, Mode, Outcome } from './types.ts';

export interface BatteryItem {
  readonly id: string;
  readonly tries: string;
  /** A script for sh; `$MARK` is its own file of the machine. */
  readonly script: string;
  readonly modes?: readonly Mode[];
  readonly check?: (target: Target, output: string) => Check;
  readonly unless?: (target: Target) => string | undefined;
}

export interface Battery {
  readonly class: string;
  /** Distinguishes the batteries of a class; it is part of the attacks' names. */
  readonly name?: string;
  readonly modes?: readonly Mode[];
  readonly pod?: PodShape;
  readonly seconds?: number;
  readonly items: readonly BatteryItem[];
}

const ITEM_SECONDS = 15;

export function battery(all: Battery): readonly Attack[] {
  const { class: kind, name = '', modes = MODES, items } = all;
  const prefix = name === '' ? kind : `${kind}/${name}`;
  return items.map((item) => ({
    id: `${prefix}/${item.id}`,
    class: kind,
    tries: item.tries,
    modes: (item.modes ?? modes).filter((mode) => modes.includes(mode)),
    isHeavy: false,
    run: async (target) => {
      const reason = item.unless?.(target);
      if (reason !== undefined) return skipped(reason);
      const found = await target.once(`battery ${prefix}`, () => fire(target, prefix, all));
      return evaluate(target, `${prefix}/${item.id}`, item, found);
    },
  }));
}

async function fire(target: Target, prefix: string, { pod, items, seconds = 60 }: Battery) {
  const parts = items.map((item) => {
    const mark = target.canaries.mark(`${prefix}/${item.id}`);
    // Each in a separate process, bounded in time, because it may break the one it runs in.
    const script = `MARK=${mark}; export MARK\n${item.script}`;
    const run = `timeout -k 1 ${ITEM_SECONDS} sh -c ${quote(script)}`;
    return `echo "BEGIN ${item.id}"\n${run} 2>&1 </dev/null\necho; echo "END ${item.id} $NONCE"`;
  });
  const found = await runPod(target, prefix, {
    ...(pod ? { pod } : {}),
    script: parts.join('\n'),
    seconds,
  });
  if (found.pod) await target.delete(found.pod.name).catch(() => undefined);
  return found;
}

function evaluate(target: Target, id: string, item: BatteryItem, found: PodOutput): Outcome {
  const { output, hasRun, refusal, pod } = found;
  if (!hasRun) return unproven(`the attacker did not run: ${refusal.slice(0, 240)}`);
  const from = output.indexOf(`BEGIN ${item.id}\n`);
  const to = output.indexOf(`END ${item.id} ${pod?.nonce ?? ''}`, from);
  if (from < 0 || to < 0) return unproven(`its part did not run: ${output.slice(-200)}`);
  const part = output.slice(from, to);
  const finding = findingIn(target, id, part) ?? item.check?.(target, part);
  return finding === undefined ? held() : breached(finding);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
