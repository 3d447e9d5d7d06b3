/**
 * ReplicaSet and ReplicationController controller: runs `spec.replicas` pods of one template.
 *
 *     claim pods ──> create or delete the difference ──> write the status
 *
 * The status counts a created or deleted pod only after the controller has seen that change in the store, so
 * it never counts a pod that is not stored.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import { replicaSets } from '../../../kinds/apps/replica-set.ts';
import { replicationControllers } from '../../../kinds/apps/replication-controller.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { numberAt, structAt, valueAt } from '../../../objects/field-path.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { claimAll } from '../shared/claim.ts';
import { controllerRefOf, newControllerRef } from '../shared/controller-ref.ts';
import { writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { messageOf, PodControl, podFromTemplate } from '../shared/pod-control.ts';
import { isPodActive, isPodTerminating, nextAvailabilityMs } from '../shared/pod-state.ts';
import { slowStart } from '../shared/slow-start.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { labelMapMatcher, selectorMatcher } from '../shared/workload-selector.ts';
import { planReplicas, replicaStatus } from './replica-plan.ts';

export interface ReplicaSetDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  /** ReplicaSets by their Deployment. */
  readonly replicaSets: OwnedIndex;
}

interface ReplicatedKind {
  readonly name: string;
  readonly reporter: string;
  readonly definition: KindDefinition;
  readonly matcher: (owner: JsonObject) => (pod: JsonObject) => boolean;
}

export function startReplicaSets(deps: ReplicaSetDeps): Controller {
  return new ReplicaController(deps, {
    name: 'replicaset',
    reporter: 'replicaset-controller',
    definition: replicaSets,
    matcher: selectorMatcher,
  });
}

export function startReplicationControllers(deps: ReplicaSetDeps): Controller {
  return new ReplicaController(deps, {
    name: 'replicationcontroller',
    reporter: 'replication-controller',
    definition: replicationControllers,
    matcher: (owner) => labelMapMatcher(readStruct(valueAt(owner, 'spec.selector'))),
  });
}

class ReplicaController implements Controller {
  readonly #deps: ReplicaSetDeps;
  readonly #kind: ReplicatedKind;
  readonly #control: PodControl;
  readonly #driver: WorkloadDriver;

  constructor(deps: ReplicaSetDeps, kind: ReplicatedKind) {
    this.#deps = deps;
    this.#kind = kind;
    const { parts } = deps;
    const events = new WorkloadEvents(parts, kind.reporter);
    this.#control = new PodControl(parts, events);
    this.#driver = new WorkloadDriver({
      parts,
      name: kind.name,
      definition: kind.definition,
      events,
      owned: [deps.pods],
      selects: (owner, pod) => kind.matcher(owner)(pod),
      sync: (object) => this.#sync(object),
    });
  }

  stop(): Promise<void> {
    return this.#driver.stop();
  }

  async #sync(object: JsonObject): Promise<number | null> {
    const { parts } = this.#deps;
    const { definition } = this.#kind;
    const nowMs = parts.clock.now();
    const { active, terminating } = await this.#claim(object);
    const error = await this.#manage(object, active);
    const counts = {
      active,
      terminating,
      failure: error === null ? null : messageOf(error),
      countsTerminating: definition === replicaSets,
    };
    await writeStatus(parts, definition, object, replicaStatus(object, counts, nowMs));
    if (error !== null) throw error;
    return nextAvailabilityMs(active, numberAt(object, 'spec.minReadySeconds'), nowMs);
  }

  async #claim(object: JsonObject) {
    const { parts, pods: index } = this.#deps;
    const { definition: ownerKind, matcher } = this.#kind;
    const matches = matcher(object);
    const namespace = textOf(metadataOf(object)['namespace']);
    const owned = index.ownedBy(uidOf(object));
    const candidates = [...owned, ...index.orphansIn(namespace)].filter(isPodActive);
    const options = { parts, ownerKind, childKind: pods, owner: object, matches };
    const active = await claimAll(options, candidates);
    return { active, terminating: owned.filter((pod) => isPodTerminating(pod) && matches(pod)) };
  }

  /** The first failure. Null: there was none. */
  async #manage(object: JsonObject, active: readonly JsonObject[]): Promise<unknown> {
    const related = this.#relatedPods(object);
    const plan = planReplicas({ object, active, related }, this.#deps.parts.clock.now());
    const reference = newControllerRef(this.#kind.definition, object);
    const pod = podFromTemplate(structAt(object, 'spec.template'), object, reference);
    try {
      await slowStart(plan.create, () => this.#control.create(object, pod));
      const removals = plan.remove.map((one) => this.#control.remove(object, one));
      const failed = (await Promise.allSettled(removals)).find((one) => one.status === 'rejected');
      return failed?.reason ?? null;
    } catch (error) {
      return error;
    }
  }

  /** The pods of all ReplicaSets of the same Deployment, including this one. */
  #relatedPods(object: JsonObject): readonly JsonObject[] {
    const reference = controllerRefOf(object);
    const siblings = reference ? this.#deps.replicaSets.ownedBy(reference.uid) : [object];
    return siblings.flatMap((one) => this.#deps.pods.ownedBy(uidOf(one)));
  }
}
