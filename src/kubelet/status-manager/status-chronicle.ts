/**
 * Writes down what becomes of every status: stored, refused, tried, acknowledged, dropped. And keeps
 * the time since when a pod has something unwritten, which is what people wait for.
 */
import type { Pod } from '../../api/pod.ts';
import type { StatusRecord } from '../../core/status-record.ts';
import type { PodReference } from '../../ports/pod-reference.ts';
import { nameOf } from './known-objects.ts';
import type { StatusManagerPorts } from './settings.ts';
import type { Step } from './status-writer.ts';

/** Readings of the clock's `monotonic`. */
interface Waiting {
  /** The first change that no request carries yet. */
  unwrittenSince: number | null;
  /** The first change that the request under way carries. */
  writingSince: number | null;
}

export class StatusChronicle {
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

  refused(pod: Pod, complaint: string): void {
    const { uid = '' } = pod.metadata;
    this.#ports.log.error('A pod status was refused', { uid, ...nameOf(pod), complaint });
    this.#record(uid, nameOf(pod), 'status-manager', {
      from: 'computed',
      to: 'refused',
      why: complaint,
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
    if (record?.version === version) waiting.unwrittenSince = null;
  }

  stepped(uid: string, record: StatusRecord | undefined, { from, to, event, error }: Step): void {
    const { log } = this.#ports;
    const name = record ?? { namespace: '', name: '' };
    if (error !== undefined) {
      log.warn('A pod status could not be written', { ...refOf(uid, name), error, next: to });
    }
    const outcome = event.type === 'settled' ? `: ${event.outcome.type}` : '';
    this.#record(uid, name, 'status-write', { from, to, why: `${event.type}${outcome}` });
  }

  parked(uid: string, record: StatusRecord | undefined, error: unknown): void {
    const name = record ?? { namespace: '', name: '' };
    this.#ports.log.error('The status of this pod is not written any more: a rule was broken', {
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
      waiting = { unwrittenSince: null, writingSince: null };
      this.#waiting.set(uid, waiting);
    }
    return waiting;
  }

  #record(
    uid: string,
    name: Omit<PodReference, 'uid'>,
    machine: string,
    step: { readonly from: string; readonly to: string; readonly why: string },
  ): void {
    const { clock, decisions, log } = this.#ports;
    try {
      decisions.record({ atMs: clock.now(), pod: refOf(uid, name), machine, ...step });
    } catch (error) {
      // Whoever writes history must not be able to change it.
      log.error('A decision could not be recorded', { error });
    }
  }
}

function refOf(uid: string, { namespace, name }: Omit<PodReference, 'uid'>): PodReference {
  return { uid, namespace, name };
}
