/**
 * Eviction thresholds of a life of podkeep: as its configuration writes them, and in plain numbers for the
 * model. Percentages are such that they are exact parts of the simulated capacities.
 */
import type { Dice } from '../dice.ts';
import { MiB } from './pod-traits.ts';

export type Layout = 'single' | 'dedicated' | 'split';

/** What runs short. */
export type Kind = 'memory' | 'disk' | 'inodes' | 'pids';
export type FileSystem = 'nodefs' | 'imagefs' | 'containerfs';

export interface PlainThreshold {
  readonly signal: string;
  readonly amount: number;
  /** 0: hard. */
  readonly graceMs: number;
  readonly minReclaim: number;
}

export interface Policy {
  /** As in KubeletConfiguration. */
  readonly hard: Readonly<Record<string, string>>;
  readonly soft: Readonly<Record<string, string>>;
  readonly softGraceMs: Readonly<Record<string, number>>;
  readonly minimumReclaim: Readonly<Record<string, string>>;
  readonly enforcesAllocatable: boolean;
  readonly transitionMs: number;
  readonly maxPodGraceSeconds: number;
  readonly thresholds: readonly PlainThreshold[];
}

export const CAPACITIES: Readonly<Record<string, number>> = {
  'memory.available': 16_384 * MiB,
  'allocatableMemory.available': 12_288 * MiB,
  'nodefs.available': 65_536 * MiB,
  'nodefs.inodesFree': 65_536,
  'imagefs.available': 65_536 * MiB,
  'imagefs.inodesFree': 65_536,
  'containerfs.available': 65_536 * MiB,
  'containerfs.inodesFree': 65_536,
  'pid.available': 32_768,
};

/** Whose thresholds can be configured. */
const CONFIGURED = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];

export function kindOf(signal: string): Kind {
  if (signal.endsWith('emory.available')) return 'memory';
  if (signal === 'pid.available') return 'pids';
  return signal.endsWith('inodesFree') ? 'inodes' : 'disk';
}

export function capacityOf(signal: string): number {
  return CAPACITIES[signal] ?? 0;
}

export function policyFor(layout: Layout, dice: Dice): Policy {
  const hard: Record<string, string> = {};
  const soft: Record<string, string> = {};
  const softGraceMs: Record<string, number> = {};
  const minimumReclaim: Record<string, string> = {};
  const thresholds: PlainThreshold[] = [];
  const enforcesAllocatable = dice.chance(0.5);
  const add = (one: PlainThreshold): void => {
    thresholds.push(one);
    const [fileSystem, rest] = one.signal.split('.');
    const base = layout === 'dedicated' ? 'imagefs' : 'nodefs';
    if (fileSystem === base) thresholds.push({ ...one, signal: `containerfs.${rest}` });
    if (enforcesAllocatable && one.signal === 'memory.available' && one.graceMs === 0) {
      const capacity = capacityOf('allocatableMemory.available');
      const part = one.amount / capacityOf(one.signal);
      const amount = hard[one.signal]?.endsWith('%') === true ? capacity * part : one.amount;
      thresholds.push({ ...one, signal: 'allocatableMemory.available', amount });
    }
  };
  for (const signal of CONFIGURED) {
    const reclaim = dice.chance(0.5) ? amountOf(signal, dice.oneOf(1, 2), false) : null;
    if (reclaim) minimumReclaim[signal] = reclaim.text;
    const minReclaim = reclaim?.amount ?? 0;
    if (dice.chance(0.75)) {
      const { text, amount } = amountOf(signal, dice.oneOf(2, 4), dice.chance(0.5));
      hard[signal] = text;
      add({ signal, amount, graceMs: 0, minReclaim });
    }
    if (dice.chance(0.6)) {
      const { text, amount } = amountOf(signal, dice.oneOf(4, 6), dice.chance(0.5));
      soft[signal] = text;
      softGraceMs[signal] = dice.oneOf(1000, 10_000, 15_000);
      add({ signal, amount, graceMs: softGraceMs[signal], minReclaim });
    }
  }
  const settings = { hard, soft, softGraceMs, minimumReclaim, enforcesAllocatable };
  const transitionMs = dice.oneOf(5000, 20_000, 30_000);
  return { ...settings, thresholds, transitionMs, maxPodGraceSeconds: dice.oneOf(0, 3, 20) };
}

/** So many 32nds of the capacity, as an amount or as a percentage. */
function amountOf(
  signal: string,
  parts: number,
  isPercentage: boolean,
): { readonly text: string; readonly amount: number } {
  const amount = (capacityOf(signal) * parts) / 32;
  if (isPercentage) return { text: `${(parts * 100) / 32}%`, amount };
  const isBytes = !['inodes', 'pids'].includes(kindOf(signal));
  return { text: isBytes ? `${amount / MiB}Mi` : `${amount}`, amount };
}
