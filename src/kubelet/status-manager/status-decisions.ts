/**
 * Records in the decision history what happens to every status (stored, refused, tried, acknowledged,
 * dropped), and measures the write latency: the time since a pod's first unwritten change.
 */
import type { Pod } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/pod-status/status-record.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import {
  DELAYED_WRITE_WAIT,
  STATUS_WRITE_WAIT,
  withLastAnswer,
} from '../../core/pod-waits/wait-names.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import { nameOf } from './known-objects.ts';
import type { StatusManagerPorts } from './settings.ts';
import type { Step } from './status-writer.ts';

/** Readings of the clock's `monotonic`. */
interface Waiting {
  /** The first change that is in no request yet. */
  unwrittenSince: number | null;
  /** The first change in the current request. */
  writingSince: number | null;
  /** Wall time of the first failed write in a row. */
  failingSinceMs: number | null;
}

type Decided = Omit<DecisionRecord, 'atMs' | 'pod' | 'machine'>;

export class StatusDecisions {
  readonly #ports: Pick<StatusManagerPorts, 'clock' | 'decisions' | 'log' | 'observer'>;
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: StatusManagerPorts) {
    this.#ports = ports;
  }

  stored(uid: string, before: StatusRecord | undefined, record: StatusRecord): void {
    const waiting = this.#waitingOf(uid);
    waiting.unwrittenSince ??= this.#ports.clock.monotonic();
    const phase = record.status.phase ?? 'no phase';
    this.#record(uid, record, 'status-manager', {
      from: `v${before?.version ?? 0}`,
      to: `v${record.version}`,
      why: record.isFinished ? `${phase}, finished` : phase,
    });
  }

  refused(pod: Pod, problem: string): void {
    const { uid = '' } = pod.metadata;
    this.#ports.log.error('Status update on pod aborted', { uid, ...nameOf(pod), problem });
    this.#record(uid, nameOf(pod), 'status-manager', {
      from: 'computed',
      to: 'refused',
      why: problem,
    });
  }

  /** The write is delayed, because other pods are queued to start. */
  delayed(uid: string, record: StatusRecord, untilMs: number): void {
    const { clock } = this.#ports;
    const { machine, waitsFor } = DELAYED_WRITE_WAIT;
    this.#record(uid, record, machine, {
      from: `v${record.version}`,
      to: `v${record.version}`,
      why: 'start-up progress is written a moment later',
      waitsFor,
      sinceMs: clock.now(),
      nextAtMs: untilMs,
    });
  }

  writing(uid: string): void {
    const waiting = this.#waitingOf(uid);
    waiting.writingSince ??= waiting.unwrittenSince;
    waiting.unwrittenSince = null;
  }

  acknowledged(uid: string, record: StatusRecord | undefined, version: number): void {
    const { clock, observer } = this.#ports;
    const waiting = this.#waitingOf(uid);
    const since = waiting.writingSince ?? waiting.unwrittenSince;
    if (since !== null) observer.statusWritten((clock.monotonic() - since) / 1000);
    waiting.writingSince = null;
    waiting.failingSinceMs = null;
    if (record?.version === version) waiting.unwrittenSince = null;
  }

  stepped(uid: string, record: StatusRecord | undefined, step: Step): void {
    const { from, to, event, error } = step;
    const { log } = this.#ports;
    const name = record ?? { namespace: '', name: '' };
    if (error !== undefined) {
      log.warn('Failed to update status for pod', { ...refOf(uid, name), error, next: to });
    }
    const outcome = event.type === 'settled' ? `: ${event.outcome.type}` : '';
    const why = `${event.type}${outcome}`;
    const { machine } = STATUS_WRITE_WAIT;
    this.#record(uid, name, machine, { from, to, why, ...this.#retryOf(uid, step) });
  }

  #retryOf(uid: string, { to, retry, error }: Step): Partial<Decided> {
    const waiting = this.#waitingOf(uid);
    if (to === 'idle' || to === 'missing') waiting.failingSinceMs = null;
    if (!retry) return {};
    const now = this.#ports.clock.now();
    waiting.failingSinceMs ??= now;
    return {
      waitsFor: withLastAnswer(STATUS_WRITE_WAIT.waitsFor, failureText(error)),
      sinceMs: waiting.failingSinceMs,
      attempts: retry.failures,
      nextAtMs: Math.round(now + retry.afterMs),
    };
  }

  parked(uid: string, record: StatusRecord | undefined, error: unknown): void {
    const name = record ?? { namespace: '', name: '' };
    this.#ports.log.error('Internal error: stopped writing the status of the pod', {
      ...refOf(uid, name),
      error,
    });
    this.#record(uid, name, 'status-write', { from: '', to: 'parked', why: String(error) });
  }

  dropped(uid: string, record: StatusRecord, why: string): void {
    this.#waiting.delete(uid);
    this.#record(uid, record, 'status-manager', {
      from: `v${record.version}`,
      to: 'forgotten',
      why,
    });
  }

  #waitingOf(uid: string): Waiting {
    let waiting = this.#waiting.get(uid);
    if (!waiting) {
      waiting = { unwrittenSince: null, writingSince: null, failingSinceMs: null };
      this.#waiting.set(uid, waiting);
    }
    return waiting;
  }

  #record(uid: string, name: Omit<PodReference, 'uid'>, machine: string, step: Decided): void {
    const { clock, decisions, log } = this.#ports;
    try {
      decisions.record({ atMs: clock.now(), pod: refOf(uid, name), machine, ...step });
    } catch (error) {
      // A decision log that fails must not affect the status manager.
      log.error('Failed to add an entry to the decision history', { error });
    }
  }
}

/** The message of the error of a failed request. */
function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refOf(uid: string, { namespace, name }: Omit<PodReference, 'uid'>): PodReference {
  return { uid, namespace, name };
}
