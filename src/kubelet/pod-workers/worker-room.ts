/** What the workers share: the world behind its ports, and the few things that concern several pods. */
import type { Delay } from '../../core/pod-worker/delay.ts';
import type { Event } from '../../core/pod-worker/event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecisionLog } from '../../ports/decision-log.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { PodCache } from '../../ports/pod-cache.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import type { PodSync } from '../../ports/pod-sync.ts';
import type { PodWorkerObserver } from '../../ports/pod-worker-observer.ts';
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

export interface WorkerRoom extends WorkerPorts {
  readonly kills: KillRequests;
  /** Hands an event to the pod's worker, after those that came before it. */
  post(uid: string, event: Event): void;
  wakeAfter(uid: string, delay: Delay): void;
  /** Tells the line of the pod's full name, whose answer comes as an event. */
  tellLine(pod: PodReference, what: 'joined' | 'asked' | 'left'): void;
}
