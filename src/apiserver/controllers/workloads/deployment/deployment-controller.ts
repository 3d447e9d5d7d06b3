/**
 * Deployment controller: creates a ReplicaSet for each version of the template, and rolls out from one to the
 * next.
 *
 *     claim ReplicaSets ──> note pause or resume ──> paused, or scaled?        ──> proportional scaling
 *                                                    rollback requested?       ──> template of that revision
 *                                                    otherwise one step of the rollout (rollout-plan.ts)
 *
 * Each sync makes one step and writes the status. Its own changes trigger the next sync.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { deployments } from '../../../kinds/apps/deployment.ts';
import { replicaSets } from '../../../kinds/apps/replica-set.ts';
import { numberAt, objectsAt, structAt, textAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { removeIfThere } from '../../deletion-request.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { claimAll } from '../shared/claim.ts';
import { workloadConditionOf } from '../shared/condition-list.ts';
import { targetTo, updateExactly, writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { isPodDone } from '../shared/pod-state.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { selectorMatcher } from '../shared/workload-selector.ts';
import {
  countedStatus,
  deadlineCheckMs,
  isComplete,
  pauseConditions,
  progressing,
  rolloutStatus,
  type DeploymentStatus,
  type Rollout,
} from './deployment-status.ts';
import { NewReplicaSet } from './new-replica-set.ts';
import {
  annotationsAfterRollback,
  annotationsOf,
  DESIRED_REPLICAS,
  hasTemplate,
  lastRevision,
  nextRevision,
  revisionNumber,
  MAX_REPLICAS,
  newSetOf,
  plainTemplate,
  REVISION,
  ROLLBACK_TO,
  withAnnotations,
  withRevision,
} from './revision.ts';
import {
  isScaling,
  planCleanup,
  planRecreate,
  planRolling,
  planScaling,
  type Resize,
} from './rollout-plan.ts';
import { hasProgressDeadline, maxSurgeOf, replicasOf, sumOf } from './rollout-numbers.ts';

export interface DeploymentDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  readonly replicaSets: OwnedIndex;
}

export function startDeployments(deps: DeploymentDeps): Controller {
  return new DeploymentController(deps);
}

class DeploymentController implements Controller {
  readonly #deps: DeploymentDeps;
  readonly #events: WorkloadEvents;
  readonly #driver: WorkloadDriver;
  readonly #newSets: NewReplicaSet;
  readonly #leave: () => void;

  constructor(deps: DeploymentDeps) {
    this.#deps = deps;
    const { parts } = deps;
    this.#events = new WorkloadEvents(parts, 'deployment-controller');
    this.#newSets = new NewReplicaSet(parts, this.#events);
    this.#driver = new WorkloadDriver({
      parts,
      name: 'deployment',
      definition: deployments,
      events: this.#events,
      owned: [deps.replicaSets],
      selects: (owner, set) => selectorMatcher(owner)(set),
      sync: (object) => this.#sync(object),
    });
    // A Recreate rollout waits until the last old pod is deleted, which no ReplicaSet reports.
    this.#leave = deps.pods.subscribe(({ value, isGone }) => {
      if (isGone) this.#wakeRecreating(value);
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#driver.stop();
  }

  #wakeRecreating(pod: JsonObject): void {
    const namespace = textOf(metadataOf(pod)['namespace']);
    for (const reference of objectsAt(pod, 'metadata.ownerReferences')) {
      if (reference['kind'] !== 'ReplicaSet') continue;
      const set = this.#deps.parts.store.get(
        `/apps/replicasets/${namespace}/${textOf(reference['name'])}`,
      )?.value;
      const owner = objectsAt(set ?? {}, 'metadata.ownerReferences')[0];
      const name = textOf(owner?.['name']);
      if (name !== '') this.#driver.enqueue(`/apps/deployments/${namespace}/${name}`);
    }
  }

  async #sync(deployment: JsonObject): Promise<number | null> {
    const { parts } = this.#deps;
    const selector = structAt(deployment, 'spec.selector');
    if (Object.keys(selector).length === 0) {
      const message = 'This deployment is selecting all pods. A non-empty selector is required.';
      this.#events.warning(deployment, 'SelectingAll', message);
      return null;
    }
    const sets = await this.#claim(deployment);
    if (isBeingDeleted(deployment)) {
      return this.#writeCounts(deployment, newSetOf(deployment, sets), sets);
    }
    const conditions = pauseConditions(deployment, parts.clock.now());
    if (conditions) {
      const status = { ...structAt(deployment, 'status'), conditions };
      await writeStatus(parts, deployments, deployment, status);
      return null; // the written status brings the next sync
    }
    const isRollback = /^[0-9]+$/.test(textOf(annotationsOf(deployment)[ROLLBACK_TO]));
    const isPaused = valueAt(deployment, 'spec.paused') === true;
    if (isRollback && !isPaused) return this.#rollBack(deployment, sets);
    if (isPaused || isScaling(deployment, sets)) return this.#scale(deployment, sets, isPaused);
    return textAt(deployment, 'spec.strategy.type') === 'Recreate'
      ? this.#recreate(deployment, sets)
      : this.#roll(deployment, sets);
  }

  #claim(owner: JsonObject): Promise<readonly JsonObject[]> {
    const { parts, replicaSets: index } = this.#deps;
    const namespace = textOf(metadataOf(owner)['namespace']);
    const candidates = [...index.ownedBy(uidOf(owner)), ...index.orphansIn(namespace)];
    const matches = selectorMatcher(owner);
    const kinds = { ownerKind: deployments, childKind: replicaSets };
    return claimAll({ parts, ...kinds, owner, matches }, candidates);
  }

  async #roll(deployment: JsonObject, sets: readonly JsonObject[]): Promise<number | null> {
    const rollout = await this.#withNewSet(deployment, sets, true);
    if (!rollout?.newSet) return null;
    const old = rollout.all.filter((set) => set !== rollout.newSet);
    const resizes = planRolling(rollout.deployment, rollout.newSet, old);
    return this.#finish(rollout, await this.#resizeAll(rollout.deployment, resizes), old);
  }

  async #recreate(deployment: JsonObject, sets: readonly JsonObject[]): Promise<number | null> {
    const found = await this.#withNewSet(deployment, sets, false);
    if (!found) return null;
    const old = found.all.filter((set) => set !== found.newSet);
    const resized = await this.#resizeAll(found.deployment, planRecreate(old));
    if (resized.size > 0 || this.#areOldPodsLeft(old)) return this.#finish(found, resized, old);
    const rollout = found.newSet ? found : await this.#withNewSet(found.deployment, sets, true);
    if (!rollout?.newSet) return null;
    const full = { set: rollout.newSet, replicas: replicasOf(rollout.deployment) };
    return this.#finish(rollout, await this.#resizeAll(rollout.deployment, [full]), old);
  }

  #areOldPodsLeft(old: readonly JsonObject[]): boolean {
    if (sumOf(old, 'status.replicas') > 0) return true;
    return old.some((set) => this.#deps.pods.ownedBy(uidOf(set)).some((pod) => !isPodDone(pod)));
  }

  async #scale(
    deployment: JsonObject,
    sets: readonly JsonObject[],
    isPaused: boolean,
  ): Promise<number | null> {
    const rollout = await this.#withNewSet(deployment, sets, false);
    if (!rollout) return null;
    const old = rollout.all.filter((set) => set !== rollout.newSet);
    const resizes = planScaling(rollout.deployment, rollout.newSet, old);
    const resized = await this.#resizeAll(rollout.deployment, resizes, true);
    if (isPaused) await this.#cleanUp(rollout.deployment, old);
    const renew = (set: JsonObject): JsonObject => resized.get(set) ?? set;
    const newSet = rollout.newSet && renew(rollout.newSet);
    return this.#writeCounts(rollout.deployment, newSet, rollout.all.map(renew));
  }

  /** Null: the Deployment itself was written, and that change triggers the next sync. */
  async #withNewSet(
    deployment: JsonObject,
    sets: readonly JsonObject[],
    isCreating: boolean,
  ): Promise<Rollout | null> {
    const found = newSetOf(deployment, sets);
    const others = sets.filter((set) => set !== found);
    // Older ReplicaSets with the same template (a race of two controllers) count as old.
    const revision = nextRevision(others);
    if (!found) {
      if (!isCreating) return { deployment, newSet: undefined, all: others };
      await this.#newSets.create(deployment, others, revision);
      return null;
    }
    const newSet = await this.#refresh(found, deployment, revision);
    const noted = await this.#noteRevision(deployment, newSet);
    return noted && { deployment: noted, newSet, all: [...others, newSet] };
  }

  async #refresh(set: JsonObject, deployment: JsonObject, revision: bigint): Promise<JsonObject> {
    const annotated = withRevision(set, deployment, revision);
    const minReadySeconds = numberAt(deployment, 'spec.minReadySeconds');
    const isSame = numberAt(set, 'spec.minReadySeconds') === minReadySeconds;
    if (annotated === set && isSame) return set;
    const changed = { ...annotated, spec: { ...structAt(set, 'spec'), minReadySeconds } };
    return updateExactly(this.#deps.parts, targetTo(replicaSets, set), set, () => changed);
  }

  /** Sets the revision of the Deployment to that of its newest ReplicaSet. */
  async #noteRevision(deployment: JsonObject, set: JsonObject): Promise<JsonObject | null> {
    const { parts } = this.#deps;
    const revision = textOf(annotationsOf(set)[REVISION]);
    const conditions = objectsAt(deployment, 'status.conditions');
    const isNoted = textOf(annotationsOf(deployment)[REVISION]) === revision;
    if (
      isNoted &&
      (!hasProgressDeadline(deployment) || workloadConditionOf(conditions, 'Progressing'))
    ) {
      return deployment;
    }
    if (!isNoted) {
      const target = targetTo(deployments, deployment);
      const change = (seen: JsonObject): JsonObject =>
        withAnnotations(seen, { [REVISION]: revision });
      // Written through the status subresource, as kube-controller-manager does, so that the generation stays
      // the same.
      await updateExactly(parts, target, deployment, change, 'status');
      return null;
    }
    const message = `Found new replica set "${nameOf(set)}"`;
    const status = {
      ...structAt(deployment, 'status'),
      conditions: progressing(conditions, 'True', 'FoundNewReplicaSet', message, parts.clock.now()),
    };
    await writeStatus(parts, deployments, deployment, status);
    return null;
  }

  /**
   * The written ReplicaSets, by their earlier versions. `isNoting`: also writes changes of annotations only.
   */
  async #resizeAll(
    deployment: JsonObject,
    resizes: readonly Resize[],
    isNoting = false,
  ): Promise<ReadonlyMap<JsonObject, JsonObject>> {
    const written = new Map<JsonObject, JsonObject>();
    const desired = replicasOf(deployment);
    const notes = {
      [DESIRED_REPLICAS]: String(desired),
      [MAX_REPLICAS]: String(desired + maxSurgeOf(deployment)),
    };
    for (const { set, replicas } of resizes) {
      const before = replicasOf(set);
      const noted = withAnnotations(set, notes);
      if (before === replicas && (!isNoting || noted === set)) continue;
      const changed = { ...noted, spec: { ...structAt(set, 'spec'), replicas } };
      const target = targetTo(replicaSets, set);
      written.set(set, await updateExactly(this.#deps.parts, target, set, () => changed));
      if (before === replicas) continue;
      const way = before < replicas ? 'up' : 'down';
      const message = `Scaled ${way} replica set ${nameOf(set)} from ${before} to ${replicas}`;
      this.#events.normal(deployment, 'ScalingReplicaSet', message);
    }
    return written;
  }

  async #finish(
    rollout: Rollout,
    resized: ReadonlyMap<JsonObject, JsonObject>,
    old: readonly JsonObject[],
  ): Promise<number | null> {
    const { deployment } = rollout;
    const { parts } = this.#deps;
    const isDone = isComplete(deployment, structAt(deployment, 'status'));
    if (resized.size === 0 && isDone) await this.#cleanUp(deployment, old);
    const renew = (set: JsonObject): JsonObject => resized.get(set) ?? set;
    const newSet = rollout.newSet && renew(rollout.newSet);
    const nowMs = parts.clock.now();
    const status = rolloutStatus({ deployment, newSet, all: rollout.all.map(renew) }, nowMs);
    await writeStatus(parts, deployments, deployment, status);
    return deadlineCheckMs(deployment, status, nowMs);
  }

  async #writeCounts(
    deployment: JsonObject,
    newSet: JsonObject | undefined,
    all: readonly JsonObject[],
  ): Promise<null> {
    const { parts } = this.#deps;
    const status: DeploymentStatus = countedStatus({ deployment, newSet, all }, parts.clock.now());
    await writeStatus(parts, deployments, deployment, status);
    return null;
  }

  async #cleanUp(deployment: JsonObject, old: readonly JsonObject[]): Promise<void> {
    const limit = valueAt(deployment, 'spec.revisionHistoryLimit');
    if (typeof limit !== 'number') return;
    const living = old.filter((set) => !isBeingDeleted(set));
    for (const set of planCleanup(living, limit)) {
      const target = targetTo(replicaSets, set);
      await removeIfThere(this.#deps.parts.registry, target, { uid: uidOf(set) });
    }
  }

  /** Copies the template of the revision, and always removes the rollback annotation. */
  async #rollBack(deployment: JsonObject, sets: readonly JsonObject[]): Promise<null> {
    const asked = revisionNumber(deployment, ROLLBACK_TO);
    const revision = asked === 0n ? lastRevision(sets) : asked;
    const set = sets.find((one) => revisionNumber(one) === revision);
    const name = nameOf(deployment);
    let changed = deployment;
    if (revision === 0n || !set) {
      const what = revision === 0n ? 'last revision.' : 'the revision to rollback to.';
      const reason = 'DeploymentRollbackRevisionNotFound';
      this.#events.warning(deployment, reason, `Unable to find ${what}`);
    } else if (hasTemplate(set, deployment)) {
      const message = `The rollback revision contains the same template as current deployment "${name}"`;
      this.#events.warning(deployment, 'DeploymentRollbackTemplateUnchanged', message);
    } else {
      const template = plainTemplate(structAt(set, 'spec.template'));
      const annotations = annotationsAfterRollback(deployment, set);
      const spec = { ...structAt(deployment, 'spec'), template };
      changed = withMetadata({ ...deployment, spec }, { annotations });
      const message = `Rolled back deployment "${name}" to revision ${revision}`;
      this.#events.normal(deployment, 'DeploymentRollback', message);
    }
    const { [ROLLBACK_TO]: _request, ...annotations } = annotationsOf(changed);
    const cleared = withMetadata(changed, { annotations });
    const target = targetTo(deployments, deployment);
    await updateExactly(this.#deps.parts, target, deployment, () => cleared);
    return null;
  }
}
