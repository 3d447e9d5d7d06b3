/** The acts on a cluster, all drawn from one seed before anything begins. */
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import type { Random } from '../../../src/ports/random.ts';
import { KINDS, type Kind } from './pods.ts';

export interface Act {
  readonly waitMs: number;
  readonly slot: number;
  /** The act on the pod of the slot, if there is one; otherwise one is created. */
  readonly choice: 'delete' | 'configure';
  /** Of the pod that is created. */
  readonly kind: Kind;
  readonly lines: number;
  readonly code: number;
  /** Whether its last status is checked before it goes. */
  readonly isKept: boolean;
}

export interface LifePlan {
  readonly acts: readonly Act[];
  /** From the start of the process, or from the moment when its node accepts pods. */
  readonly killFrom: 'spawn' | 'node';
  readonly killMs: number;
}

export const API_SLOTS = 16;
export const STATIC_SLOTS = 4;
const SLOTS = API_SLOTS + STATIC_SLOTS;

export function planOf(seed: number, kills: number): readonly LifePlan[] {
  const random = seededRandom(seed);
  return Array.from({ length: kills }, (_, life) => lifeOf(random, life));
}

/** The first life creates all pods at once, and lasts long enough for some of them to run. */
function lifeOf(random: Random, life: number): LifePlan {
  const isFirst = life === 0;
  const count = isFirst ? SLOTS : draw(random, 3, 12);
  const acts = Array.from({ length: count }, (_, index) => ({
    ...actOf(random, isFirst ? index : draw(random, 0, SLOTS - 1)),
    ...(isFirst && { waitMs: 0 }),
  }));
  const isEarly = !isFirst && random.next() < 0.25;
  const killMs = isEarly ? draw(random, 0, 1500) : draw(random, isFirst ? 300 : 0, 3000);
  return { acts, killFrom: isEarly ? 'spawn' : 'node', killMs };
}

function actOf(random: Random, slot: number): Act {
  return {
    waitMs: draw(random, 0, 300),
    slot,
    choice: random.next() < 0.75 ? 'delete' : 'configure',
    kind: KINDS[slot < KINDS.length ? slot : draw(random, 0, KINDS.length - 1)] ?? 'lasting',
    lines: draw(random, 1, 8),
    code: draw(random, 10, 99),
    isKept: random.next() < 0.6,
  };
}

/** Both ends included. */
function draw(random: Random, from: number, to: number): number {
  return from + Math.floor(random.next() * (to - from + 1));
}
