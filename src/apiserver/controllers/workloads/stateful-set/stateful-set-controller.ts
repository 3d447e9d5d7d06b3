/**
 * StatefulSet controller: runs pods with a stable name, ordinal and storage, which it creates and replaces in
 * order.
 *
 *     claim revisions and pods ──> revision of the template ──> steps (stateful-plan.ts) ──> write the status
 *                                                           ──> delete revisions beyond the limit
 *
 * The claims of a pod are created before the pod. No step depends on state in memory, so a process that is
 * killed after any write continues with the same decision.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { statefulSets } from '../../../kinds/apps/stateful-set.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { numberAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { claimAll } from '../shared/claim.ts';
import { writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { nextAvailabilityMs } from '../shared/pod-state.ts';
import { planTruncation } from '../shared/revision-data.ts';
import { RevisionHistory } from '../shared/revision-history.ts';
import { slowStart } from '../shared/slow-start.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { selectorMatcher } from '../shared/workload-selector.ts';
import { claimsAt, ordinalOf } from './ordinals.ts';
import {
  isParallel,
  minReadyOf,
  planStatefulSet,
  type StatefulPlan,
  type StatefulStep,
} from './stateful-plan.ts';
import { StatefulPodControl } from './stateful-pod-control.ts';
import { revisionOf } from './stateful-pod.ts';
import {
  currentRevisionOf,
  endingStatus,
  STATEFUL_ZEROS,
  statefulStatus,
} from './stateful-status.ts';

export interface StatefulSetDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  readonly revisions: OwnedIndex;
}

const HASH_LABEL = 'controller.kubernetes.io/hash';

export function startStatefulSets(deps: StatefulSetDeps): Controller {
  return new StatefulSetController(deps);
}

class StatefulSetController implements Controller {
  readonly #deps: StatefulSetDeps;
  readonly #control: StatefulPodControl;
  readonly #history: RevisionHistory;
  readonly #driver: WorkloadDriver;
  readonly #leave: readonly (() => void)[];

  constructor(deps: StatefulSetDeps) {
    this.#deps = deps;
    const { parts } = deps;
    const events = new WorkloadEvents(parts, 'statefulset-controller');
    this.#control = new StatefulPodControl(parts, events);
    this.#history = new RevisionHistory(deps, { ownerKind: statefulSets, hashLabel: HASH_LABEL });
    this.#driver = new WorkloadDriver({
      parts,
      name: 'statefulset',
      definition: statefulSets,
      events,
      owned: [deps.pods, deps.revisions],
      selects: (owner, candidate) => selectorMatcher(owner)(candidate),
      sync: (set) => this.#sync(set),
    });
    const { store } = parts;
    this.#leave = [
      // A name that a foreign pod or a terminating claim used is free now, so the StatefulSet need not wait
      // for its next retry.
      deps.pods.subscribe(({ value, isGone }) => {
        if (isGone) this.#wake(value, (set) => ordinalOf(set, value) !== null);
      }),
      store.watch(prefixOf(persistentVolumeClaims, ''), store.revision, ({ type, value }) => {
        if (type === 'delete') this.#wake(value, (set) => isClaimOf(set, value));
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#driver.stop();
  }

  #wake(gone: JsonObject, concerns: (set: JsonObject) => boolean): void {
    const namespace = textOf(metadataOf(gone)['namespace']);
    const { store } = this.#deps.parts;
    for (const { key, value } of store.list(prefixOf(statefulSets, namespace)).objects) {
      if (concerns(value)) this.#driver.enqueue(key);
    }
  }

  async #sync(set: JsonObject): Promise<number | null> {
    const { parts } = this.#deps;
    const nowMs = parts.clock.now();
    const revisions = await this.#history.claim(set);
    const members = await this.#claim(set);
    if (isBeingDeleted(set)) {
      const status = endingStatus(set, members, nowMs);
      await writeStatus(parts, statefulSets, set, status, STATEFUL_ZEROS);
      return null;
    }
    const history = await this.#history.current(set, revisions);
    if (!history) return null;
    const { revision: update, collisions } = history;
    const current = currentRevisionOf(set, revisions, update);
    const claimNamed = (name: string): JsonObject | undefined =>
      this.#control.claimNamed(set, name);
    const plan = planStatefulSet({ set, pods: members, current, update, claimNamed, nowMs });
    const error = await this.#perform(set, plan);
    const names = { current: nameOf(current), update: nameOf(update) };
    const status = statefulStatus(set, { pods: members, ...names, collisions }, nowMs);
    await writeStatus(parts, statefulSets, set, status, STATEFUL_ZEROS);
    await this.#truncate(set, members, revisions, Object.values(names));
    if (error !== null) throw error;
    return nextAvailabilityMs(members, minReadyOf(set), nowMs);
  }

  async #claim(owner: JsonObject): Promise<readonly JsonObject[]> {
    const { parts, pods: index } = this.#deps;
    const namespace = textOf(metadataOf(owner)['namespace']);
    const isSelected = selectorMatcher(owner);
    const matches = (pod: JsonObject): boolean => isSelected(pod) && ordinalOf(owner, pod) !== null;
    const candidates = [...index.ownedBy(uidOf(owner)), ...index.orphansIn(namespace)];
    const kinds = { ownerKind: statefulSets, childKind: pods };
    return claimAll({ parts, ...kinds, owner, matches }, candidates);
  }

  /** The first failure. Null: there was none. */
  async #perform(set: JsonObject, plan: StatefulPlan): Promise<unknown> {
    try {
      for (const steps of plan) await this.#performPhase(set, steps);
      return null;
    } catch (error) {
      return error;
    }
  }

  async #performPhase(set: JsonObject, steps: readonly StatefulStep[]): Promise<void> {
    const perform = async (step: StatefulStep | undefined): Promise<void> => {
      if (step) await this.#control.perform(set, step);
    };
    if (isParallel(set)) await slowStart(steps.length, (index) => perform(steps[index]));
    else for (const step of steps) await perform(step);
  }

  async #truncate(
    set: JsonObject,
    members: readonly JsonObject[],
    revisions: readonly JsonObject[],
    used: readonly string[],
  ): Promise<void> {
    const live = new Set([...used, ...members.map(revisionOf)]);
    const isLive = (one: JsonObject): boolean => live.has(nameOf(one));
    const limit = numberAt(set, 'spec.revisionHistoryLimit');
    const surplus = planTruncation(revisions, { limit, isLive, countsLive: false });
    for (const revision of surplus) await this.#history.remove(revision);
  }
}

function isClaimOf(set: JsonObject, claim: JsonObject): boolean {
  return claimsAt(set, 0).some(({ name }) => nameOf(claim).startsWith(name.slice(0, -1)));
}
