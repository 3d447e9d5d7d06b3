/**
 * Renews the lease of this node (KL-106).
 *
 *     last lease ──PUT──> done                         the usual case: one request
 *         │ fails five times, or it is gone
 *         ▼
 *     GET, and POST if there is none ──fails──> wait 200 ms, doubled up to 7 s, and again
 *         │ it existed
 *         ▼
 *     PUT, up to five times; after a conflict, based on the version in the API
 *
 * The kubelet is the only writer of the Lease, so the version of its last write is almost always current; a
 * read before each write would double the number of the most frequent requests of a cluster. A deleted Lease
 * is created again.
 */
import { LEASES_PATH, newLease, renewedLease, type LeaseFacts } from '../../core/node/lease.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { hasCode, type Send } from './heartbeat-api.ts';
import { jittered, pause } from '../waiting/pause.ts';

export interface NodeLeaseOptions {
  readonly send: Send;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly nodeName: string;
  readonly durationSeconds: number;
  /** Of the Node object. Null: not known yet. */
  readonly nodeUid: () => string | null;
  /** Ends the renewals. */
  readonly signal: AbortSignal;
}

const TRIES = 5;
const BACK_OFF_MS = 200;
const BACK_OFF_MS_MAX = 7000;
const RENEWALS_PER_DURATION = 4;

export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #path: string;
  #latest: JsonObject | null = null;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    this.#path = `${LEASES_PATH}/${options.nodeName}`;
  }

  /** Resolves when the signal was aborted. It never rejects. */
  async run(): Promise<void> {
    const { clock, random, signal, durationSeconds } = this.#options;
    const periodMs = (durationSeconds * 1000) / RENEWALS_PER_DURATION;
    while (!signal.aborted) {
      await this.#renew();
      await pause(clock, jittered(periodMs, random.next()), signal);
    }
  }

  async #renew(): Promise<void> {
    if (this.#latest && (await this.#update(this.#latest))) return;
    const found = await this.#ensure();
    this.#latest = found?.lease ?? null;
    if (found && !found.isNew) await this.#update(found.lease);
  }

  /** Returns whether it was renewed. */
  async #update(base: JsonObject): Promise<boolean> {
    const { send, log, signal, nodeName } = this.#options;
    let lease: JsonObject | null = base;
    for (let tries = 0; lease && tries < TRIES && !signal.aborted; tries++) {
      try {
        const body = renewedLease(lease, this.#facts());
        this.#latest = await send({ method: 'PUT', path: this.#path, body });
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        log.warn('Failed to update lease', { node: nodeName, error });
        // The Lease was deleted, so further updates would all fail.
        if (hasCode(error, 404)) return false;
        if (hasCode(error, 409)) lease = (await this.#ensure())?.lease ?? null;
      }
    }
    return false;
  }

  /** The lease in the API. Null: the Node is not known yet, or the signal was aborted. */
  async #ensure(): Promise<{ readonly lease: JsonObject; readonly isNew: boolean } | null> {
    const { clock, log, signal, nodeName } = this.#options;
    for (let delayMs = BACK_OFF_MS; !signal.aborted; delayMs = nextDelay(delayMs)) {
      try {
        const lease = await this.#read();
        if (lease) return { lease, isNew: false };
        const fresh = await this.#create();
        return fresh && { lease: fresh, isNew: true };
      } catch (error) {
        if (signal.aborted) return null;
        log.warn('Failed to ensure lease exists, will retry', { node: nodeName, delayMs, error });
        await pause(clock, delayMs, signal);
      }
    }
    return null;
  }

  async #read(): Promise<JsonObject | null> {
    try {
      return await this.#options.send({ method: 'GET', path: this.#path });
    } catch (error) {
      if (hasCode(error, 404)) return null;
      throw error;
    }
  }

  async #create(): Promise<JsonObject | null> {
    const body = newLease(this.#facts());
    return body && this.#options.send({ method: 'POST', path: LEASES_PATH, body });
  }

  #facts(): LeaseFacts {
    const { nodeName, nodeUid, durationSeconds, clock } = this.#options;
    return { nodeName, nodeUid: nodeUid(), durationSeconds, nowMs: clock.now() };
  }
}

function nextDelay(delayMs: number): number {
  return Math.min(delayMs * 2, BACK_OFF_MS_MAX);
}
