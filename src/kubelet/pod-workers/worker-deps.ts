/** The dependencies that all pod workers share: the ports, and functions that concern several pods. */
import type { Delay } from '../../core/pod-worker/delay.ts';
import type { Event } from '../../core/pod-worker/event.ts';
import type { Phase } from '../../core/pod-worker/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecisionLog } from '../../ports/observe/decision-log.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodCache } from '../../ports/pod/pod-cache.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { PodSync } from '../../ports/pod/pod-sync.ts';
import type { PodWorkerObserver } from '../../ports/observe/pod-worker-observer.ts';
import type { KillRequests } from './kill-requests.ts';

export interface WorkerPorts {
  readonly clock: Clock;
  readonly podSync: PodSync;
  readonly podCache: PodCache;
  readonly events: EventRecorder;
  readonly decisions: DecisionLog;
  readonly observer: PodWorkerObserver;
  readonly log: Log;
}

export interface NameHolder {
  readonly uid: string;
  readonly phase: Phase;
}

export interface WorkerDeps extends WorkerPorts {
  readonly kills: KillRequests;
  /** Adds an event to the queue of the pod's worker. */
  enqueue(uid: string, event: Event): void;
  /** How long the pod waits until it is synced again; draws the jitter. */
  delayMs(delay: Delay): number;
  wakeAfter(uid: string, ms: number): void;
  /** Notifies the queue of the pod's full name, which answers with an event. */
  notifyQueue(pod: PodReference, what: 'joined' | 'asked' | 'left'): void;
  /** The static pod that has the full name of this one. Null: the name is free. */
  nameHolder(pod: PodReference): NameHolder | null;
}
