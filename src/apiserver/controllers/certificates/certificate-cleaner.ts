/**
 * Removes certificate requests that are finished, or that stayed undecided for too long (cleanup-time.ts), so
 * that nodes which renew their certificates do not fill the store.
 *
 * One timer is set, for the request that is due next; it fires once a minute at most, however many requests
 * there are.
 */
import type { Cancel } from '../../../ports/clock.ts';
import { certificateSigningRequests } from '../../kinds/rbac/certificate-signing-request.ts';
import { nameOf } from '../../objects/metadata.ts';
import { follow } from '../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { removeIfThere } from '../deletion-request.ts';
import { uidOf } from '../garbage/owner-reference.ts';
import { WorkQueue } from '../work-queue.ts';
import { cleanupTimeMs } from './cleanup-time.ts';

const SCAN_MS_MIN = 60_000;
/** Timers of more than 24 days would fire at once. */
const SCAN_MS_MAX = 24 * 3_600_000;

interface Planned {
  readonly atMs: number;
  readonly cancel: Cancel;
}

export class CertificateCleaner implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: () => void;
  /** When each request is to be removed, by name. */
  readonly #dueMs = new Map<string, number>();
  #lastScanMs = Number.NEGATIVE_INFINITY;
  #planned: Planned | null = null;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#settle(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'certificate-cleaner', work });
    this.#leave = follow(store, prefixOf(certificateSigningRequests, ''), ({ type, value }) => {
      const dueMs = type === 'put' ? cleanupTimeMs(value) : Number.POSITIVE_INFINITY;
      if (dueMs === Number.POSITIVE_INFINITY) this.#dueMs.delete(nameOf(value));
      else {
        this.#dueMs.set(nameOf(value), dueMs);
        this.#plan(dueMs);
      }
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    this.#planned?.cancel();
    await this.#queue.stop();
  }

  /** A timer that is already set for an earlier time stays. */
  #plan(dueMs: number): void {
    const { clock } = this.#parts;
    const nowMs = clock.now();
    const wantedMs = Math.max(dueMs, this.#lastScanMs + SCAN_MS_MIN, nowMs);
    const atMs = Math.min(wantedMs, nowMs + SCAN_MS_MAX);
    if (this.#planned && this.#planned.atMs <= atMs) return;
    this.#planned?.cancel();
    this.#planned = { atMs, cancel: clock.after(atMs - nowMs, () => this.#scan()) };
  }

  #scan(): void {
    this.#planned = null;
    const nowMs = this.#parts.clock.now();
    this.#lastScanMs = nowMs;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [name, dueMs] of this.#dueMs) {
      if (dueMs <= nowMs) this.#queue.add(name);
      else nextMs = Math.min(nextMs, dueMs);
    }
    if (nextMs !== Number.POSITIVE_INFINITY) this.#plan(nextMs);
  }

  async #settle(name: string): Promise<void> {
    const { store, registry, clock } = this.#parts;
    const target = { definition: certificateSigningRequests, namespace: '', name };
    const request = store.get(keyOf(target))?.value;
    if (!request || cleanupTimeMs(request) > clock.now()) return;
    await removeIfThere(registry, target, { uid: uidOf(request) });
  }
}
