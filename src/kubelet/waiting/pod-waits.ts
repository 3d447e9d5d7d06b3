/**
 * Records in the decision history what each pod waits for: since when, the number of attempts, and the time
 * of the next one.
 *
 *     wait ──> first record ──wait──> the same with one more attempt ──over──> record of the end
 *
 * Parts of the kubelet call `wait` each time they decide to wait, and `over` whenever the wait may have
 * ended: the end is recorded only if the wait was known.
 *
 * Invariants:
 *   1. `sinceMs` is the time of the first call of `wait` since the last `over`.
 *   2. The memory is bounded: PODS_MAX pods with WAITS_PER_POD_MAX waits each. The next call of `wait` for a
 *      forgotten wait counts as the first.
 */
import type { PodReference } from '../../api/pod-reference.ts';
import { waitOver, type WaitName } from '../../core/pod-waits/wait-names.ts';
import { LruMap } from '../../lib/lru-map.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DecisionLog } from '../../ports/observe/decision-log.ts';

export interface PodWaitsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly decisions: DecisionLog;
  readonly log: Log;
}

export interface WaitFacts {
  readonly why: string;
  /** Absent: since the first call. */
  readonly sinceMs?: number | undefined;
  /** Absent: the number of calls. */
  readonly attempts?: number | undefined;
  readonly nextAtMs?: number | undefined;
}

interface Known {
  readonly sinceMs: number;
  attempts: number;
}

const PODS_MAX = 1000;
const WAITS_PER_POD_MAX = 100;
const ACTIVE = 'active';
const WAITING = 'waiting';

export class PodWaits {
  readonly #deps: PodWaitsDeps;
  readonly #pods = new LruMap<string, Map<string, Known>>(PODS_MAX);

  constructor(deps: PodWaitsDeps) {
    this.#deps = deps;
  }

  wait(pod: PodReference, { machine, waitsFor }: WaitName, facts: WaitFacts): void {
    const atMs = this.#deps.clock.now();
    const waits = this.#waitsOf(pod.uid);
    const before = waits.get(waitsFor);
    const known = before ?? { sinceMs: facts.sinceMs ?? atMs, attempts: 0 };
    known.attempts += 1;
    if (!before && waits.size < WAITS_PER_POD_MAX) waits.set(waitsFor, known);
    this.#record({
      atMs,
      pod: referenceOf(pod),
      machine,
      from: before ? WAITING : ACTIVE,
      to: WAITING,
      why: facts.why,
      waitsFor,
      sinceMs: facts.sinceMs ?? known.sinceMs,
      attempts: facts.attempts ?? known.attempts,
      ...(facts.nextAtMs !== undefined && { nextAtMs: Math.round(facts.nextAtMs) }),
    });
  }

  /** Does nothing if the pod did not wait for that. */
  over(pod: PodReference, { machine, waitsFor }: WaitName): void {
    const waits = this.#waitsOf(pod.uid);
    if (!waits.delete(waitsFor)) return;
    const atMs = this.#deps.clock.now();
    const why = waitOver(waitsFor);
    this.#record({ atMs, pod: referenceOf(pod), machine, from: WAITING, to: ACTIVE, why });
  }

  #waitsOf(uid: string): Map<string, Known> {
    const known = this.#pods.get(uid);
    if (known) return known;
    const waits = new Map<string, Known>();
    this.#pods.set(uid, waits);
    return waits;
  }

  #record(decision: Parameters<DecisionLog['record']>[0]): void {
    const { decisions, log } = this.#deps;
    try {
      decisions.record(decision);
    } catch (error) {
      // A decision log that fails must not affect the part that waits.
      log.error('Failed to add an entry to the decision history', { error });
    }
  }
}

/** Copies only the fields of a pod: callers may pass a reference of a container, which has more. */
function referenceOf({ uid, name, namespace }: PodReference): PodReference {
  return { uid, name, namespace };
}
