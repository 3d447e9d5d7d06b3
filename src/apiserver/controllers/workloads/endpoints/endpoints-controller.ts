/**
 * Endpoints controller: writes the Endpoints of Services with a selector (endpoints-plan.ts), and deletes
 * them with their Service.
 *
 * When the controller starts, it deletes Endpoints whose Service was deleted while the controller was not
 * running. It deletes only Endpoints with its own label, because a client may create Endpoints before their
 * Service.
 */
import { isMissing, isNamespaceGoing, removeIfThere } from '../../deletion-request.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { endpoints } from '../../../kinds/networking/endpoints.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { readKey } from '../../object-key.ts';
import { targetTo, updateExactly } from '../shared/exact-update.ts';
import { messageOf } from '../shared/pod-control.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import type { EndpointSliceDeps } from './endpoint-slice-controller.ts';
import { ENDPOINTS_MANAGED_BY, ENDPOINTS_MANAGER, planEndpoints } from './endpoints-plan.ts';
import { ServiceDriver } from './service-driver.ts';
import { TriggerTimes, TRIGGER_TIME, withTriggerTime } from './trigger-time.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';

export function startEndpoints(deps: EndpointSliceDeps): Controller {
  return new EndpointsController(deps);
}

class EndpointsController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #driver: ServiceDriver;
  readonly #times = new TriggerTimes();
  readonly #leave: () => void;

  constructor({ parts, pods }: EndpointSliceDeps) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, 'endpoint-controller');
    this.#driver = new ServiceDriver({
      parts,
      pods,
      name: 'endpoint',
      events: this.#events,
      sync: (service, selected, key) => this.#sync(service, selected, key),
      forget: (key) => this.#forget(key),
    });
    const { store } = parts;
    const prefix = prefixOf(endpoints, '');
    this.#leave = store.watch(prefix, store.revision, ({ type, value }) => {
      if (type === 'delete') this.#enqueue(value);
    });
    for (const { value } of store.list(prefix).objects) {
      if (labelsOf(value)[ENDPOINTS_MANAGED_BY] === ENDPOINTS_MANAGER) this.#enqueue(value);
    }
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#driver.stop();
  }

  #enqueue(object: JsonObject): void {
    this.#driver.enqueue(textOf(metadataOf(object)['namespace']), nameOf(object));
  }

  async #sync(service: JsonObject, pods: readonly JsonObject[], key: string): Promise<void> {
    const triggerMs = this.#times.next(key, service, pods);
    const namespace = textOf(metadataOf(service)['namespace']);
    const target = { definition: endpoints, namespace, name: nameOf(service) };
    const current = this.#parts.store.get(keyOf(target))?.value;
    const wanted = planEndpoints(service, pods, current && withoutTime(current));
    if (!wanted) return;
    await this.#write(service, current, withTriggerTime(wanted, triggerMs));
  }

  async #write(service: JsonObject, current: JsonObject | undefined, wanted: JsonObject) {
    const namespace = textOf(metadataOf(service)['namespace']);
    const name = `${namespace}/${nameOf(service)}`;
    try {
      if (current) {
        await updateExactly(this.#parts, targetTo(endpoints, current), current, () => wanted);
      } else {
        await this.#parts.registry.create({ definition: endpoints, namespace, body: wanted });
      }
    } catch (error) {
      if (!current && isNamespaceGoing(error)) return;
      // The Endpoints were deleted in the meantime, which has enqueued the Service.
      if (current && isMissing(error)) return;
      const reason = current ? 'FailedToUpdateEndpoint' : 'FailedToCreateEndpoint';
      const message = current
        ? `Failed to update endpoint ${name}: ${messageOf(error)}`
        : `Failed to create endpoint for service ${name}: ${messageOf(error)}`;
      this.#events.warning(service, reason, message);
      throw error;
    }
  }

  async #forget(key: string): Promise<void> {
    this.#times.forget(key);
    const { namespace, name } = readKey(key);
    await removeIfThere(this.#parts.registry, { definition: endpoints, namespace, name }, {});
  }
}

/** The trigger time alone is no reason for a write. */
function withoutTime(object: JsonObject): JsonObject {
  const { annotations, ...rest } = metadataOf(object);
  const { [TRIGGER_TIME]: _, ...others } = readStruct(annotations);
  return { ...object, metadata: { ...rest, annotations: others } };
}
