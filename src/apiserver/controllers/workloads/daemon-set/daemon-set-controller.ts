/**
 * DaemonSet controller: runs one pod on every eligible node.
 *
 *     claim revisions and pods ──> revision of the template ──> every node has one pod? ──no──> create and delete
 *                                                                      │ yes
 *                                                                      └──> one step of the rolling update
 *                              ──> delete revisions beyond the limit ──> write the status
 *
 * Labels and taints make a node eligible: a change of them triggers a sync of the DaemonSets that it affects.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { StoreEvent } from '../../../../ports/api/object-store.ts';
import { daemonSets } from '../../../kinds/apps/daemon-set.ts';
import { nodes as nodeKind } from '../../../kinds/core/node.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { numberAt, structAt, valueAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf, withMetadata } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { claimAll } from '../shared/claim.ts';
import { targetTo, updateExactly, writeStatus } from '../shared/exact-update.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { PodControl } from '../shared/pod-control.ts';
import { nextAvailabilityMs } from '../shared/pod-state.ts';
import { planTruncation, REVISION_LABEL } from '../shared/revision-data.ts';
import { RevisionHistory, type CurrentRevision } from '../shared/revision-history.ts';
import { slowStart } from '../shared/slow-start.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { selectorMatcher } from '../shared/workload-selector.ts';
import {
  minReadyOfDaemon,
  planDaemons,
  viewNodes,
  type DaemonPlan,
  type DaemonView,
} from './daemon-plan.ts';
import { newDaemonPod } from './daemon-pod.ts';
import { planDaemonRollout } from './daemon-rollout.ts';
import { DAEMON_ZEROS, daemonStatus } from './daemon-status.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { nodeFitter } from './node-fit.ts';

export interface DaemonSetDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  readonly revisions: OwnedIndex;
}

/** At most this many pods are created, and deleted, in one sync. */
const BURST_MAX = 250;

export function startDaemonSets(deps: DaemonSetDeps): Controller {
  return new DaemonSetController(deps);
}

class DaemonSetController implements Controller {
  readonly #deps: DaemonSetDeps;
  readonly #events: WorkloadEvents;
  readonly #control: PodControl;
  readonly #history: RevisionHistory;
  readonly #driver: WorkloadDriver;
  readonly #backoff = new FailedPodBackoff();
  readonly #leave: () => void;

  constructor(deps: DaemonSetDeps) {
    this.#deps = deps;
    const { parts } = deps;
    this.#events = new WorkloadEvents(parts, 'daemonset-controller');
    this.#control = new PodControl(parts, this.#events);
    this.#history = new RevisionHistory(deps, { ownerKind: daemonSets, hashLabel: REVISION_LABEL });
    this.#driver = new WorkloadDriver({
      parts,
      name: 'daemonset',
      definition: daemonSets,
      events: this.#events,
      owned: [deps.pods, deps.revisions],
      selects: (owner, candidate) => selectorMatcher(owner)(candidate),
      sync: (set) => this.#sync(set),
    });
    const { store } = parts;
    this.#leave = store.watch(prefixOf(nodeKind, ''), store.revision, (event) =>
      this.#notice(event),
    );
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#driver.stop();
  }

  #notice({ type, value, before }: StoreEvent): void {
    const isPut = type === 'put';
    if (isPut && before && isSameNode(value, before)) return;
    const { store } = this.#deps.parts;
    for (const { key, value: set } of store.list(prefixOf(daemonSets, '')).objects) {
      const fitOf = nodeFitter(set);
      const isSame = isPut && before && jsonEqual({ ...fitOf(value) }, { ...fitOf(before) });
      if (!isSame) this.#driver.enqueue(key);
    }
  }

  async #sync(set: JsonObject): Promise<number | null> {
    const { parts } = this.#deps;
    if (Object.keys(structAt(set, 'spec.selector')).length === 0) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      this.#events.warning(set, 'SelectingAll', message);
      return null;
    }
    // Its history may be deleted before its pods, so its pods cannot be classified.
    if (isBeingDeleted(set)) return null;
    const revisions = await this.#history.claim(set);
    const history = await this.#history.current(set, revisions);
    if (!history) return null;
    const own = await this.#unify(history, await this.#claim(set));
    const view = this.#view(set, own, hashOf(history.revision));
    const error = await this.#act(view);
    if (error === null) await this.#truncate(set, own, revisions, history);
    const status = daemonStatus(view, history.collisions);
    await writeStatus(parts, daemonSets, set, status, DAEMON_ZEROS);
    if (error !== null) throw error;
    return this.#nextSyncMs(view, own);
  }

  async #claim(owner: JsonObject): Promise<readonly JsonObject[]> {
    const { parts, pods: index } = this.#deps;
    const namespace = textOf(metadataOf(owner)['namespace']);
    const candidates = [...index.ownedBy(uidOf(owner)), ...index.orphansIn(namespace)];
    const kinds = { ownerKind: daemonSets, childKind: pods };
    return claimAll({ parts, ...kinds, owner, matches: selectorMatcher(owner) }, candidates);
  }

  #view(set: JsonObject, own: readonly JsonObject[], hash: string): DaemonView {
    const { store, clock } = this.#deps.parts;
    const nodes = store.list(prefixOf(nodeKind, '')).objects.map(({ value }) => value);
    return { set, ...viewNodes(nodes, own, nodeFitter(set)), hash, nowMs: clock.now() };
  }

  /**
   * If two revisions have the same template, the pods of the older one get the label of the newer, and only
   * the newer is kept.
   */
  async #unify(
    { revision, duplicates }: CurrentRevision,
    own: readonly JsonObject[],
  ): Promise<readonly JsonObject[]> {
    if (duplicates.length === 0) return own;
    const { parts } = this.#deps;
    const hashes = new Set(duplicates.map(hashOf));
    const unified: JsonObject[] = [];
    for (const pod of own) {
      const isOther = hashes.has(labelsOf(pod)[REVISION_LABEL] ?? '');
      const labels = {
        ...readStruct(metadataOf(pod)['labels']),
        [REVISION_LABEL]: hashOf(revision),
      };
      unified.push(
        isOther
          ? await updateExactly(parts, targetTo(pods, pod), pod, (seen) =>
              withMetadata(seen, { labels }),
            )
          : pod,
      );
    }
    for (const duplicate of duplicates) await this.#history.remove(duplicate);
    return unified;
  }

  /** The first failure. Null: there was none. */
  async #act(view: DaemonView): Promise<unknown> {
    const { set, nowMs } = view;
    const isHeld = (node: string): boolean =>
      this.#backoff.remainingMs(backoffKey(set, node), nowMs) > 0;
    const plan = planDaemons(view, isHeld);
    for (const { pod, node } of plan.ended) this.#noteEnd(set, pod, node, nowMs);
    const isSettled = plan.create.length === 0 && plan.remove.length === 0;
    return this.#perform(view, isSettled ? planDaemonRollout(view) : plan);
  }

  #noteEnd(set: JsonObject, pod: JsonObject, node: string, nowMs: number): void {
    const name = `${textOf(metadataOf(pod)['namespace'])}/${nameOf(pod)}`;
    if (valueAt(pod, 'status.phase') === 'Failed') {
      this.#backoff.note(backoffKey(set, node), nowMs);
      const message = `Found failed daemon pod ${name} on node ${node}, will try to kill it`;
      this.#events.warning(set, 'FailedDaemonPod', message);
    } else {
      const message = `Found succeeded daemon pod ${name} on node ${node}, will try to delete it`;
      this.#events.normal(set, 'SucceededDaemonPod', message);
    }
  }

  async #perform({ set, hash }: DaemonView, { create, remove }: DaemonPlan): Promise<unknown> {
    let failure: unknown = null;
    try {
      await slowStart(Math.min(create.length, BURST_MAX), (index) =>
        this.#control.create(set, newDaemonPod(set, create[index] ?? '', hash)),
      );
    } catch (error) {
      failure = error;
    }
    const removals = remove.slice(0, BURST_MAX).map((pod) => this.#control.remove(set, pod));
    const failed = (await Promise.allSettled(removals)).find((one) => one.status === 'rejected');
    return failure ?? failed?.reason ?? null;
  }

  async #truncate(
    set: JsonObject,
    own: readonly JsonObject[],
    revisions: readonly JsonObject[],
    { revision, duplicates }: CurrentRevision,
  ): Promise<void> {
    const gone = new Set([revision, ...duplicates].map(nameOf));
    const live = new Set(own.map((pod) => labelsOf(pod)[REVISION_LABEL]));
    const isLive = (one: JsonObject): boolean => live.has(hashOf(one));
    const limit = numberAt(set, 'spec.revisionHistoryLimit');
    const old = revisions.filter((one) => !gone.has(nameOf(one)));
    const surplus = planTruncation(old, { limit, isLive, countsLive: true });
    for (const one of surplus) await this.#history.remove(one);
  }

  /** When a pod becomes available, or a failed pod may be deleted. */
  #nextSyncMs({ set, nodes, nowMs }: DaemonView, own: readonly JsonObject[]): number | null {
    const waits = nodes
      .filter((node) => node.pods.some((pod) => valueAt(pod, 'status.phase') === 'Failed'))
      .map(({ name }) => this.#backoff.remainingMs(backoffKey(set, name), nowMs))
      .filter((ms) => ms > 0);
    const next = nextAvailabilityMs(own, minReadyOfDaemon(set), nowMs);
    const all = next === null ? waits : [...waits, next];
    return all.length === 0 ? null : Math.min(...all);
  }
}

/** From the label that kube-controller-manager sets on the revision, or else from its name. */
function hashOf(revision: JsonObject): string {
  return labelsOf(revision)[REVISION_LABEL] ?? nameOf(revision);
}

function backoffKey(set: JsonObject, node: string): string {
  return `${uidOf(set)}/${numberAt(set, 'status.observedGeneration')}/${node}`;
}

function isSameNode(a: JsonObject, b: JsonObject): boolean {
  return (
    jsonEqual(labelsOf(a), labelsOf(b)) &&
    jsonEqual(valueAt(a, 'spec.taints') ?? [], valueAt(b, 'spec.taints') ?? [])
  );
}
