/** Performs the steps of a StatefulSet on pods and claims, and records an Event for each. */
import type { JsonObject } from '../../../../lib/json.ts';
import { unreachable } from '../../../../lib/assert.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { keyOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import {
  isAlreadyThere,
  isMissing,
  isNamespaceGoing,
  PLAIN_DELETION,
} from '../../deletion-request.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { targetTo, updateExactly } from '../shared/exact-update.ts';
import { messageOf } from '../shared/pod-control.ts';
import type { WorkloadEvents } from '../shared/workload-events.ts';
import { claimOwners, isConflicting, type ClaimHolder } from './claim-retention.ts';
import { claimsAt, ordinalOf } from './ordinals.ts';
import { asMember, newClaim, newStatefulPod } from './stateful-pod.ts';
import type { StatefulStep } from './stateful-plan.ts';

type Verb = 'Create' | 'Update' | 'Delete';

export class StatefulPodControl {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;

  constructor(parts: ServerParts, events: WorkloadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  async perform(set: JsonObject, step: StatefulStep): Promise<void> {
    switch (step.type) {
      case 'create':
        return this.#create(set, newStatefulPod(set, step.revision, step.ordinal), step.ordinal);
      case 'delete':
        return this.#delete(set, step.pod);
      case 'provide':
        return this.#withOrdinal(set, step.pod, async (holder) => {
          await this.#provideClaims(holder);
          await this.#settleClaims(holder);
        });
      case 'repair':
        return this.#withOrdinal(set, step.pod, (holder) => this.#repair(holder));
      case 'settleClaims':
        return this.#withOrdinal(set, step.pod, (holder) => this.#settleClaims(holder));
      default:
        return unreachable(step);
    }
  }

  claimNamed(set: JsonObject, name: string): JsonObject | undefined {
    const namespace = textOf(metadataOf(set)['namespace']);
    const target = { definition: persistentVolumeClaims, namespace, name };
    return this.#parts.store.get(keyOf(target))?.value;
  }

  /** Creates the claims first, so that a pod never waits for a claim that no controller will create. */
  async #create(set: JsonObject, pod: JsonObject, ordinal: number): Promise<void> {
    const namespace = textOf(metadataOf(set)['namespace']);
    try {
      await this.#provideClaims({ set, pod, ordinal });
      const created = await this.#parts.registry.create({ definition: pods, namespace, body: pod });
      await this.#settleClaims({ set, pod: created, ordinal });
      this.#record(set, 'Create', pod, null);
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      this.#record(set, 'Create', pod, error);
      throw error;
    }
  }

  /** Deletes exactly this pod, not another one with the same name. */
  async #delete(set: JsonObject, pod: JsonObject): Promise<void> {
    try {
      const options = { ...PLAIN_DELETION, uid: uidOf(pod) };
      await this.#parts.registry.remove(targetTo(pods, pod), options);
    } catch (error) {
      if (!isMissing(error)) {
        this.#record(set, 'Delete', pod, error);
        throw error;
      }
    }
    this.#record(set, 'Delete', pod, null);
  }

  async #repair(holder: ClaimHolder): Promise<void> {
    const { set, pod, ordinal } = holder;
    try {
      const changed = asMember(set, pod, ordinal);
      await this.#provideClaims(holder);
      await this.#settleClaims(holder);
      if (changed !== pod) {
        await updateExactly(this.#parts, targetTo(pods, pod), pod, () => changed);
      }
      this.#record(set, 'Update', pod, null);
    } catch (error) {
      if (isMissing(error)) return;
      this.#record(set, 'Update', pod, error);
      throw error;
    }
  }

  async #provideClaims({ set, pod, ordinal }: ClaimHolder): Promise<void> {
    const namespace = textOf(metadataOf(set)['namespace']);
    for (const claim of claimsAt(set, ordinal)) {
      const { name } = claim;
      const found = this.claimNamed(set, name);
      if (found && isBeingDeleted(found)) throw new Error(`pvc ${name} is being deleted`);
      if (found) continue;
      const about = `Claim ${name}`;
      const body = newClaim(set, claim);
      const definition = persistentVolumeClaims;
      try {
        await this.#parts.registry.create({ definition, namespace, body });
        const message = `Create ${about} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} success`;
        this.#events.normal(set, 'SuccessfulCreate', message);
      } catch (error) {
        if (isAlreadyThere(error)) continue;
        if (isNamespaceGoing(error)) throw error;
        const message =
          `Create ${about} for Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)} ` +
          `failed error: ${messageOf(error)}`;
        this.#events.warning(set, 'FailedCreate', message);
        throw new Error(`failed to create PVC ${name}: ${messageOf(error)}`, { cause: error });
      }
    }
  }

  async #settleClaims(holder: ClaimHolder): Promise<void> {
    const { set, ordinal } = holder;
    for (const { name } of claimsAt(set, ordinal)) {
      const claim = this.claimNamed(set, name);
      if (!claim) continue;
      if (isConflicting(claim, holder)) {
        // kube-controller-manager's spelling, which users search for.
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#events.warning(set, 'ConflictingController', message);
      }
      const owners = claimOwners(claim, holder);
      if (!owners) continue;
      const ownerReferences = owners.length > 0 ? owners : undefined;
      const target = targetTo(persistentVolumeClaims, claim);
      await updateExactly(this.#parts, target, claim, (seen) =>
        withMetadata(seen, { ownerReferences }),
      );
    }
  }

  async #withOrdinal(
    set: JsonObject,
    pod: JsonObject,
    act: (holder: ClaimHolder) => Promise<void>,
  ): Promise<void> {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== null) await act({ set, pod, ordinal });
  }

  #record(set: JsonObject, verb: Verb, pod: JsonObject, error: unknown): void {
    const what = `${verb} Pod ${nameOf(pod)} in StatefulSet ${nameOf(set)}`;
    if (error === null) this.#events.normal(set, `Successful${verb}`, `${what} successful`);
    else this.#events.warning(set, `Failed${verb}`, `${what} failed error: ${messageOf(error)}`);
  }
}
