/**
 * The Lease by which components of one kind elect a leader: `kube-system/kube-controller-manager` for controller
 * managers, `kube-system/kube-scheduler` for schedulers.
 *
 *     free, expired or podkeep's own ──> held, renewed every few seconds ──> released at the end
 *     held by another ─────────────────> wait until it is given up, or not renewed for its duration
 *
 * The workload controllers act only while podkeep holds it. So a kube-controller-manager that runs against
 * podkeep either waits, or has taken the Lease first and podkeep waits: never do both create pods for the same
 * ReplicaSet. The scheduler likewise binds pods only while podkeep holds the other Lease. The identity is that of the data folder (the UID of the namespace kube-system, which is as old as
 * the store): after a kill podkeep finds its own Lease and does not wait until it expires.
 */
import { formatMicroTime } from '../../../api/values/time.ts';
import type { Cancel } from '../../../ports/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { leases } from '../../kinds/core/lease.ts';
import { namespaces } from '../../kinds/core/namespace.ts';
import { numberAt, structAt, textAt } from '../../objects/field-path.ts';
import { keyOf, type Target } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { MANAGER_IDENTITY_PREFIX } from '../../admission/stored-only.ts';
import { uidOf } from '../garbage/owner-reference.ts';

export interface LeaseListener {
  /** Called when the Lease is held, and again after each loss. */
  held(): void;
  lost(): void;
}

export interface LeaseOptions {
  /** Absent: the Lease of controller managers. */
  readonly name?: string;
  /**
   * A Lease that no other component holds counts as held before it is written, so that the first pod need not
   * wait for that. If another component is faster, `lost` follows at once.
   */
  readonly isOptimistic?: boolean;
}

const NAMESPACE = 'kube-system';
const DURATION_SECONDS = 15;
const RENEW_MS = 5000;
const RETRY_MS = 2000;
const MS_PER_SECOND = 1000;

export class ControllerLease {
  readonly #parts: ServerParts;
  readonly #listener: LeaseListener;
  readonly #target: Target;
  readonly #leave: () => void;
  #observedMs: number;
  #isHeld = false;
  #isStopped = false;
  #isBusy = false;
  #cancel: Cancel = () => {};

  constructor(parts: ServerParts, listener: LeaseListener, options: LeaseOptions = {}) {
    const { name = 'kube-controller-manager', isOptimistic = false } = options;
    this.#parts = parts;
    this.#listener = listener;
    this.#target = { definition: leases, namespace: NAMESPACE, name };
    const { store, clock } = parts;
    this.#observedMs = clock.monotonic();
    const own = keyOf(this.#target);
    this.#leave = store.watch(own, store.revision, ({ key, type, value }) => {
      if (key !== own) return;
      this.#observedMs = clock.monotonic();
      this.#notice(type === 'put' ? value : null);
    });
    if (isOptimistic && this.#isFree()) {
      this.#isHeld = true;
      void Promise.resolve().then(() => this.#listener.held());
    }
    this.#later(0);
  }

  /** Gives the Lease up, so that the next holder need not wait. The controllers must have stopped before. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    this.#cancel();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.#write((spec) => ({ ...spec, holderIdentity: '', leaseDurationSeconds: 1 })).catch(
      (error: unknown) => this.#parts.log.warn('failed to release lease', { error }),
    );
  }

  #notice(lease: JsonObject | null): void {
    const holder = lease ? textAt(lease, 'spec.holderIdentity') : '';
    if (this.#isHeld && holder !== this.#identity()) {
      this.#isHeld = false;
      const { name } = this.#target;
      this.#parts.log.warn('stopped leading: another component took the lease', { name, holder });
      this.#listener.lost();
    }
    if (!this.#isHeld && holder === '') this.#later(0);
  }

  #later(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel();
    this.#cancel = this.#parts.clock.after(delayMs, () => void this.#attempt());
  }

  async #attempt(): Promise<void> {
    if (this.#isBusy || this.#isStopped) return;
    this.#isBusy = true;
    try {
      await this.#acquire();
    } catch (error) {
      this.#parts.log.debug('failed to acquire or renew lease', { error });
    }
    this.#isBusy = false;
    this.#later(this.#isHeld ? RENEW_MS : RETRY_MS);
  }

  async #acquire(): Promise<void> {
    const { store, clock, registry } = this.#parts;
    const identity = this.#identity();
    if (identity === null) return;
    const lease = store.get(keyOf(this.#target))?.value;
    const now = formatMicroTime(clock.now());
    if (!lease) {
      const body = { metadata: { name: this.#target.name }, spec: heldSpec({}, identity, now) };
      await registry.create({ definition: leases, namespace: NAMESPACE, body });
    } else {
      const holder = textAt(lease, 'spec.holderIdentity');
      if (holder !== '' && holder !== identity && !this.#isExpired(lease)) return;
      await this.#write((spec) => heldSpec(spec, identity, now), holder);
    }
    if (this.#isHeld || this.#isStopped) return;
    this.#isHeld = true;
    this.#listener.held();
  }

  /** No other component holds it. Without the namespace there is no Lease at all. */
  #isFree(): boolean {
    const lease = this.#parts.store.get(keyOf(this.#target))?.value;
    const holder = lease ? textAt(lease, 'spec.holderIdentity') : '';
    return holder === '' || holder === this.#identity();
  }

  /** Measured on this process's own clock, from the last change that it saw. */
  #isExpired(lease: JsonObject): boolean {
    const durationMs = numberAt(lease, 'spec.leaseDurationSeconds') * MS_PER_SECOND;
    return this.#parts.clock.monotonic() - this.#observedMs >= durationMs;
  }

  /** Throws if the holder is not the expected one any more. */
  async #write(
    change: (spec: JsonObject) => JsonObject,
    expected = this.#identity(),
  ): Promise<void> {
    await this.#parts.registry.update({
      ...this.#target,
      change: (lease) => {
        const spec = structAt(lease, 'spec');
        const holder = textAt(lease, 'spec.holderIdentity');
        if (holder !== expected) throw new Error(`the lease is held by ${holder}`);
        return { ...lease, spec: change(spec) };
      },
    });
  }

  /** Null: the namespace is missing. */
  #identity(): string | null {
    const key = keyOf({ definition: namespaces, namespace: '', name: NAMESPACE });
    const namespace = this.#parts.store.get(key)?.value;
    return namespace ? `${MANAGER_IDENTITY_PREFIX}${uidOf(namespace)}` : null;
  }
}

function heldSpec(spec: JsonObject, identity: string, now: string): JsonObject {
  const isNew = spec['holderIdentity'] !== identity;
  const transitions = Number(spec['leaseTransitions'] ?? -1) + 1;
  return {
    ...spec,
    holderIdentity: identity,
    leaseDurationSeconds: DURATION_SECONDS,
    renewTime: now,
    ...(isNew && { acquireTime: now, leaseTransitions: transitions }),
  };
}
