/**
 * Leader election by Lease: `kube-system/kube-controller-manager` for the workload controllers,
 * `kube-system/kube-scheduler` for the scheduler.
 *
 *     free, expired or podkeep's own ──> held, renewed every few seconds ──> released when podkeep stops
 *     held by another ─────────────────> wait until it is released, or not renewed for its duration
 *
 * The workload controllers act only while podkeep holds the first Lease. So either podkeep or a
 * kube-controller-manager that runs against it waits, and they never both create pods for the same
 * ReplicaSet. Likewise the scheduler binds pods only while podkeep holds the second Lease. The holder
 * identity is derived from the UID of the namespace kube-system, which stays the same for a data folder:
 * after a kill podkeep recognizes its own Lease and does not wait until it expires.
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
  /** Called when the Lease is acquired, and again after each loss. */
  held(): void;
  lost(): void;
}

export interface LeaseOptions {
  /** Absent: the Lease of controller managers. */
  readonly name?: string;
  /**
   * True: a Lease that no other component holds counts as held before it is written, so that the first pod
   * need not wait for the write. If another component is faster, `lost` is called at once.
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

  /** Releases the Lease, so that the next holder need not wait. The controllers must have stopped before. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#leave();
    this.#cancel();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.#write((spec) => ({ ...spec, holderIdentity: '', leaseDurationSeconds: 1 })).catch(
      (error: unknown) => this.#parts.log.warn('Failed to release Lease', { error }),
    );
  }

  #notice(lease: JsonObject | null): void {
    const holder = lease ? textAt(lease, 'spec.holderIdentity') : '';
    if (this.#isHeld && holder !== this.#identity()) {
      this.#isHeld = false;
      const { name } = this.#target;
      this.#parts.log.warn('Stopped leading: another component took the Lease', { name, holder });
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
      this.#parts.log.debug('Failed to acquire or renew Lease', { error });
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

  /**
   * Whether no other component holds the Lease. Without the namespace kube-system there is no Lease at all.
   */
  #isFree(): boolean {
    const lease = this.#parts.store.get(keyOf(this.#target))?.value;
    const holder = lease ? textAt(lease, 'spec.holderIdentity') : '';
    return holder === '' || holder === this.#identity();
  }

  /** Measured by this process's own clock, from the last change of the Lease that it saw. */
  #isExpired(lease: JsonObject): boolean {
    const durationMs = numberAt(lease, 'spec.leaseDurationSeconds') * MS_PER_SECOND;
    return this.#parts.clock.monotonic() - this.#observedMs >= durationMs;
  }

  /** Throws if another component now holds the Lease. */
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

  /** Null: the namespace does not exist. */
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
