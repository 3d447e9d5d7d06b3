/**
 * Tracks what one pod worker waits for, for its decision records.
 *
 *   a failed turn          waits for the next turn: recorded are the number of failures in a row, the time of
 *                          the first one, and the time of the next turn
 *   a refused static pod   waits until the older pod of its name is gone
 *
 * A turn that succeeded, was cancelled or moved the pod to another phase ends the wait.
 */
import type { PodReference } from '../../api/pod-reference.ts';
import type { Event } from '../../core/pod-worker/event.ts';
import type { State } from '../../core/pod-worker/state.ts';
import { staticPodWait, workWait } from '../../core/pod-waits/wait-names.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import type { NameHolder } from './worker-deps.ts';

type RecordedWait = Pick<DecisionRecord, 'waitsFor' | 'sinceMs' | 'attempts' | 'nextAtMs'>;

export interface WaitMoment {
  readonly nowMs: number;
  /** When the worker syncs the pod again. Undefined: when the next event arrives. */
  readonly nextAtMs: number | undefined;
}

export class WorkerWaits {
  readonly #pod: PodReference;
  readonly #nameHolder: (pod: PodReference) => NameHolder | null;
  #waitsFor = '';
  #sinceMs = 0;
  #attempts = 0;

  constructor(pod: PodReference, nameHolder: (pod: PodReference) => NameHolder | null) {
    this.#pod = pod;
    this.#nameHolder = nameHolder;
  }

  /** The wait that the decision after this event begins or continues. Empty: none. */
  after(event: Event, to: State['phase'], moment: WaitMoment): RecordedWait {
    const waitsFor = this.#waitAfter(event, to);
    if (waitsFor === null) return {};
    if (waitsFor !== this.#waitsFor) {
      this.#waitsFor = waitsFor;
      this.#sinceMs = moment.nowMs;
      this.#attempts = 0;
    }
    if (waitsFor === '') return {};
    this.#attempts += 1;
    const { nextAtMs } = moment;
    return {
      waitsFor,
      sinceMs: this.#sinceMs,
      attempts: this.#attempts,
      ...(nextAtMs !== undefined && { nextAtMs: Math.round(nextAtMs) }),
    };
  }

  /** Null: the event does not change the wait. Empty: the worker does not wait. */
  #waitAfter(event: Event, to: State['phase']): string | null {
    if (event.type === 'refused') {
      const holder = this.#nameHolder(this.#pod);
      return staticPodWait(holder?.uid ?? 'unknown').waitsFor;
    }
    if (event.type !== 'settled') return event.type === 'admitted' ? '' : null;
    const { kind } = event.outcome;
    const isFailed = kind === 'failed' || kind === 'networkNotReady';
    const isSamePhase = to === PHASES[event.work];
    return isFailed && isSamePhase ? workWait(event.work).waitsFor : '';
  }
}

const PHASES = { sync: 'syncing', stop: 'terminating', release: 'terminated' } as const;
