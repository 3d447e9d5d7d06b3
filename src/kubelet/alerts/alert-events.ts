/**
 * Records Events about alerts, Warning AlertFiring and Normal AlertResolved, on the pod or on the node.
 *
 * An alert that flaps must not flood the API: for each alert, at most one AlertFiring is recorded in five
 * minutes, and AlertResolved only if its AlertFiring was recorded.
 */
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { safeText } from '../../core/alerts/alert-text.ts';
import { LruMap } from '../../lib/lru-map.ts';
import type { AlertChange, AlertView } from './alert-view.ts';

const QUIET_MS = 5 * 60_000;
const REMEMBERED_MAX = 5000;
const MESSAGE_CHARACTERS_MAX = 512;

export interface AlertEventsDeps {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly nodeEvents: NodeEvents;
}

export class AlertEvents {
  readonly #deps: AlertEventsDeps;
  /** When AlertFiring was recorded last, and whether AlertResolved is still to be recorded. */
  readonly #recorded = new LruMap<string, { readonly atMs: number; readonly isOpen: boolean }>(
    REMEMBERED_MAX,
  );

  constructor(deps: AlertEventsDeps) {
    this.#deps = deps;
  }

  changed({ before, after }: AlertChange): void {
    if (!after || after.state === before?.state) return;
    const last = this.#recorded.get(after.key);
    const nowMs = this.#deps.clock.monotonic();
    if (after.state === 'firing' && !(last && nowMs - last.atMs < QUIET_MS)) {
      this.#recorded.set(after.key, { atMs: nowMs, isOpen: true });
      this.#record(after, 'Warning', 'AlertFiring');
    }
    if (after.state === 'resolved' && last?.isOpen) {
      this.#recorded.set(after.key, { ...last, isOpen: false });
      this.#record(after, 'Normal', 'AlertResolved');
    }
  }

  #record(alert: AlertView, type: 'Normal' | 'Warning', reason: string): void {
    const { alertname, severity, annotations, pod } = alert;
    const { summary = '' } = annotations;
    const text = `${alertname} (${severity})${summary === '' ? '' : `: ${summary}`}`;
    const message = safeText(text, MESSAGE_CHARACTERS_MAX);
    if (pod) this.#deps.events.record(pod, type, reason, message);
    else this.#deps.nodeEvents.recordNode(type, reason, message);
  }
}
