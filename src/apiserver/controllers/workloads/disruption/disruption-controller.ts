/**
 * Disruption controller: counts the pods that each PodDisruptionBudget selects, which limits evictions and
 * `kubectl drain`. A change of a pod triggers a sync of the budgets that select it before or after the
 * change.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { budgetsOf } from '../../../actions/disruption-budget.ts';
import { podDisruptionBudgets } from '../../../kinds/apps/pod-disruption-budget.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { replayed } from '../../../objects/conversion-replay.ts';
import { numberAt, objectsAt, structAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { controllerRefOf, isOfKind, type ControllerRef } from '../shared/controller-ref.ts';
import { writeStatus } from '../shared/exact-update.ts';
import type { OwnedChange, OwnedIndex } from '../shared/owned-index.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { decideBudget, needsScale, syncFailed } from './budget-status.ts';

export interface DisruptionDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
}

const NAME = 'disruption';
const REPORTER = 'controllermanager';
const UNMANAGED =
  'were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may ' +
  'result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB ' +
  'to an integer value.';

export function startDisruption(deps: DisruptionDeps): Controller {
  return new DisruptionController(deps);
}

class DisruptionController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #driver: WorkloadDriver;
  readonly #leave: () => void;

  constructor({ parts, pods: index }: DisruptionDeps) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, REPORTER);
    this.#driver = new WorkloadDriver({
      parts,
      name: NAME,
      definition: podDisruptionBudgets,
      events: this.#events,
      owned: [],
      sync: (budget) => this.#sync(budget),
    });
    this.#leave = index.subscribe((change) => this.#notice(change));
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#driver.stop();
  }

  #notice({ value, before }: OwnedChange): void {
    const { store } = this.#parts;
    for (const pod of before ? [value, before] : [value]) {
      for (const budget of budgetsOf(store, pod)) {
        const namespace = textOf(metadataOf(budget)['namespace']);
        const target = { definition: podDisruptionBudgets, namespace, name: nameOf(budget) };
        this.#driver.enqueue(keyOf(target));
      }
    }
  }

  async #sync(budget: JsonObject): Promise<number | null> {
    const { clock } = this.#parts;
    const selected = this.#podsOf(budget);
    if (selected.length === 0) this.#events.normal(budget, 'NoPods', 'No matching pods found');
    try {
      const expectedScale = needsScale(budget)
        ? await replayed(() => this.#scaleOf(budget, selected))
        : 0;
      const decision = decideBudget({ budget, pods: selected, expectedScale }, clock.now());
      for (const pod of decision.overdue) this.#reportOverdue(budget, pod);
      await writeStatus(this.#parts, podDisruptionBudgets, budget, decision.status);
      return decision.recheckMs;
    } catch (error) {
      if (!(error instanceof UnknownController)) throw error;
      await this.#close(budget, error.message);
      throw error;
    }
  }

  #podsOf(budget: JsonObject): readonly JsonObject[] {
    const namespace = textOf(metadataOf(budget)['namespace']);
    const { store } = this.#parts;
    const all = store.list(prefixOf(pods, namespace)).objects.map(({ value }) => value);
    const name = nameOf(budget);
    return all.filter((pod) => budgetsOf(store, pod).some((one) => nameOf(one) === name));
  }

  /** The sum over the controllers of the pods. A pod without a controller does not count. */
  #scaleOf(budget: JsonObject, selected: readonly JsonObject[]): number {
    const sizes = new Map<string, number>();
    const known = new Set<string>();
    let isUnmanaged = false;
    for (const pod of selected) {
      const reference = controllerRefOf(pod);
      if (!reference) isUnmanaged = true;
      else if (!known.has(reference.uid)) {
        known.add(reference.uid);
        this.#measure(pod, reference, sizes);
      }
    }
    if (isUnmanaged) {
      const selector = JSON.stringify(structAt(budget, 'spec.selector'));
      const message = `Pods selected by this PodDisruptionBudget (selector: ${selector}) ${UNMANAGED}`;
      this.#events.warning(budget, 'UnmanagedPods', message);
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** The size of a Deployment's ReplicaSet is that of the Deployment, which counts once. */
  #measure(pod: JsonObject, reference: ControllerRef, sizes: Map<string, number>): void {
    const namespace = textOf(metadataOf(pod)['namespace']);
    const found = this.#scaled(namespace, reference);
    const above = found && reference.kind === 'ReplicaSet' ? controllerRefOf(found.object) : null;
    const top = above?.kind === 'Deployment' ? above : reference;
    const scaled = top === reference ? found : this.#scaled(namespace, top);
    if (!scaled) throw new UnknownController(`found no controllers for pod "${nameOf(pod)}"`);
    sizes.set(top.uid, scaled.replicas);
  }

  #scaled(namespace: string, reference: ControllerRef) {
    const { catalog, registry } = this.#parts;
    for (const definition of catalog.all()) {
      if (!isOfKind(reference, definition)) continue;
      const target = { definition, namespace, name: reference.name };
      const view = definition.subresources?.find(({ name }) => name === 'scale')?.view;
      if (!view || !registry.has(target)) continue;
      const object = registry.get(target);
      if (metadataOf(object)['uid'] !== reference.uid) continue;
      return { object, replicas: numberAt(view.read(object), 'spec.replicas') };
    }
    return null;
  }

  #reportOverdue(budget: JsonObject, pod: JsonObject): void {
    const name = `${textOf(metadataOf(budget)['namespace'])}/${nameOf(budget)}`;
    const message = `Pod was expected by PDB ${name} to be deleted but it wasn't`;
    this.#events.warning(pod, 'NotDeleted', message);
  }

  /** If the pods cannot be counted, the budget allows no eviction. */
  async #close(budget: JsonObject, why: string): Promise<void> {
    const message = `Failed to calculate the number of expected pods: ${why}`;
    this.#events.warning(budget, 'CalculateExpectedPodCountFailed', message);
    const { clock } = this.#parts;
    const conditions = syncFailed(objectsAt(budget, 'status.conditions'), budget, why, clock.now());
    const status = { ...structAt(budget, 'status'), disruptionsAllowed: 0, conditions };
    await writeStatus(this.#parts, podDisruptionBudgets, budget, status);
  }
}

class UnknownController extends Error {}
