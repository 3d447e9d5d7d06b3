/**
 * EndpointSlice controller: writes the EndpointSlices of Services with a selector (slice-plan.ts). A Service
 * owns its slices, so the garbage collector deletes them with it. A slice that another client changes is
 * restored one second later.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { nodes } from '../../../kinds/core/node.ts';
import { endpointSlices } from '../../../kinds/networking/endpoint-slice.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import type { OwnedIndex } from '../shared/owned-index.ts';
import { messageOf } from '../shared/pod-control.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { ServiceDriver } from './service-driver.ts';
import {
  MANAGED_BY,
  planSlices,
  SERVICE_NAME,
  SLICE_MANAGER,
  type SlicePlan,
} from './slice-plan.ts';
import { writeSlices } from './slice-writer.ts';
import { asksForTopology } from './traffic-hints.ts';
import { TriggerTimes, withTriggerTime } from './trigger-time.ts';

export interface EndpointSliceDeps {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
}

/** A client that keeps changing slices causes only one sync per second. */
const SLICE_CHANGE_MS = 1000;
const NO_TOPOLOGY =
  'podkeep does not allocate endpoints to zones by the annotation topology-mode; use spec.trafficDistribution';

export function startEndpointSlices(deps: EndpointSliceDeps): Controller {
  return new EndpointSliceController(deps);
}

class EndpointSliceController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #driver: ServiceDriver;
  readonly #times = new TriggerTimes();
  readonly #leave: () => void;

  constructor({ parts, pods }: EndpointSliceDeps) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, 'endpoint-slice-controller');
    this.#driver = new ServiceDriver({
      parts,
      pods,
      name: 'endpointslice',
      events: this.#events,
      sync: (service, selected, key) => this.#sync(service, selected, key),
      forget: async (key) => this.#times.forget(key),
    });
    const { store } = parts;
    const prefix = prefixOf(endpointSlices, '');
    this.#leave = store.watch(prefix, store.revision, ({ value, before }) => {
      for (const slice of before ? [value, before] : [value]) this.#notice(slice);
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#driver.stop();
  }

  #notice(slice: JsonObject): void {
    const { [SERVICE_NAME]: name = '', [MANAGED_BY]: manager } = labelsOf(slice);
    const namespace = textOf(metadataOf(slice)['namespace']);
    if (manager !== SLICE_MANAGER || name === '') return;
    this.#driver.enqueueAfter(namespace, name, SLICE_CHANGE_MS);
  }

  async #sync(service: JsonObject, pods: readonly JsonObject[], key: string): Promise<void> {
    const { store } = this.#parts;
    const namespace = textOf(metadataOf(service)['namespace']);
    const triggerMs = this.#times.next(key, service, pods);
    const nodeOf = (name: string): JsonObject | undefined =>
      store.get(keyOf({ definition: nodes, namespace: '', name }))?.value;
    const slices = this.#slicesOf(namespace, nameOf(service));
    const plan = planSlices({ service, pods, nodeOf, slices });
    const dated = withTimes(plan, triggerMs);
    const create = isBeingDeleted(service) ? [] : dated.create;
    try {
      await writeSlices(this.#parts, namespace, { ...dated, create });
    } catch (error) {
      this.#warn(service, messageOf(error));
      throw error;
    }
    if (plan.problems.length > 0) this.#warn(service, plan.problems.join(', '));
    if (asksForTopology(service) && create.length + dated.update.length > 0) {
      this.#events.warning(service, 'TopologyAwareHintsDisabled', NO_TOPOLOGY);
    }
  }

  #warn(service: JsonObject, problem: string): void {
    const name = `${textOf(metadataOf(service)['namespace'])}/${nameOf(service)}`;
    const message = `Error updating Endpoint Slices for Service ${name}: ${problem}`;
    this.#events.warning(service, 'FailedToUpdateEndpointSlices', message);
  }

  #slicesOf(namespace: string, name: string): readonly JsonObject[] {
    const { objects } = this.#parts.store.list(prefixOf(endpointSlices, namespace));
    return objects
      .map(({ value }) => value)
      .filter((slice) => {
        const { [SERVICE_NAME]: service, [MANAGED_BY]: manager } = labelsOf(slice);
        return service === name && manager === SLICE_MANAGER && !isBeingDeleted(slice);
      });
  }
}

function withTimes({ create, update, ...rest }: SlicePlan, ms: number): SlicePlan {
  return {
    ...rest,
    create: create.map((slice) => withTriggerTime(slice, ms)),
    update: update.map(({ seen, wanted }) => ({ seen, wanted: withTriggerTime(wanted, ms) })),
  };
}
