/**
 * EndpointSlice mirroring controller: mirrors the Endpoints that clients write for Services without a
 * selector into EndpointSlices (mirror-plan.ts), so that readers need only EndpointSlices. It deletes the
 * slices of Endpoints that are no longer mirrored.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { endpointSlices } from '../../../kinds/networking/endpoint-slice.ts';
import { endpoints } from '../../../kinds/networking/endpoints.ts';
import { services } from '../../../kinds/networking/service.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { removeIfThere } from '../../deletion-request.ts';
import { isBeingDeleted, uidOf } from '../../garbage/owner-reference.ts';
import { readKey } from '../../object-key.ts';
import { targetTo } from '../shared/exact-update.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { MIRROR_MANAGER, planMirror } from './mirror-plan.ts';
import { isMirrored } from './mirrored-endpoints.ts';
import { hasPodSelector } from './service-selector.ts';
import { MANAGED_BY, SERVICE_NAME } from './slice-plan.ts';
import { writeSlices } from './slice-writer.ts';

const SLICE_CHANGE_MS = 1000;

export function startMirroring({ parts }: { readonly parts: ServerParts }): Controller {
  return new MirroringController(parts);
}

class MirroringController implements Controller {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;
  readonly #driver: WorkloadDriver;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#events = new WorkloadEvents(parts, 'endpoint-slice-mirroring-controller');
    this.#driver = new WorkloadDriver({
      parts,
      name: 'endpointslicemirroring',
      definition: endpoints,
      events: this.#events,
      owned: [],
      sync: (object) => this.#sync(object),
      forget: (key) => this.#forget(key),
    });
    const { store } = parts;
    this.#leave = [
      store.watch(prefixOf(services, ''), store.revision, ({ type, value, before }) => {
        const isOther = before && hasPodSelector(before) !== hasPodSelector(value);
        if (!before || type === 'delete' || isOther) this.#enqueue(value, nameOf(value), 0);
      }),
      store.watch(prefixOf(endpointSlices, ''), store.revision, ({ value, before }) => {
        for (const slice of before ? [value, before] : [value]) this.#noticeSlice(slice);
      }),
    ];
    for (const { value } of store.list(prefixOf(endpointSlices, '')).objects) {
      this.#noticeSlice(value);
    }
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#driver.stop();
  }

  #noticeSlice(slice: JsonObject): void {
    const { [SERVICE_NAME]: name = '', [MANAGED_BY]: manager } = labelsOf(slice);
    if (manager === MIRROR_MANAGER && name !== '') this.#enqueue(slice, name, SLICE_CHANGE_MS);
  }

  #enqueue(near: JsonObject, name: string, delayMs: number): void {
    const namespace = textOf(metadataOf(near)['namespace']);
    const key = keyOf({ definition: endpoints, namespace, name });
    if (delayMs === 0) this.#driver.enqueue(key);
    else this.#driver.enqueueAfter(key, delayMs);
  }

  async #sync(object: JsonObject): Promise<null> {
    const namespace = textOf(metadataOf(object)['namespace']);
    const name = nameOf(object);
    const service = this.#parts.store.get(keyOf({ definition: services, namespace, name }))?.value;
    if (!service || hasPodSelector(service) || !isMirrored(object)) {
      await this.#removeMirrors(namespace, name);
      return null;
    }
    const plan = planMirror(object, this.#mirrorsOf(namespace, name));
    const isChanging = plan.create.length + plan.update.length > 0;
    if (isChanging) this.#report(object, plan.invalid, plan.skipped);
    const create = isBeingDeleted(object) ? [] : plan.create;
    await writeSlices(this.#parts, namespace, { ...plan, create });
    return null;
  }

  #report(object: JsonObject, invalid: number, skipped: number): void {
    if (invalid > 0) {
      const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
      this.#events.warning(object, 'InvalidIPAddress', message);
    }
    if (skipped > invalid) {
      const message =
        'A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ' +
        `${skipped} addresses were skipped`;
      this.#events.warning(object, 'TooManyAddressesToMirror', message);
    }
  }

  async #forget(key: string): Promise<void> {
    const { namespace, name } = readKey(key);
    await this.#removeMirrors(namespace, name);
  }

  async #removeMirrors(namespace: string, name: string): Promise<void> {
    for (const slice of this.#mirrorsOf(namespace, name)) {
      const target = targetTo(endpointSlices, slice);
      await removeIfThere(this.#parts.registry, target, { uid: uidOf(slice) });
    }
  }

  #mirrorsOf(namespace: string, name: string): readonly JsonObject[] {
    const { objects } = this.#parts.store.list(prefixOf(endpointSlices, namespace));
    return objects
      .map(({ value }) => value)
      .filter((slice) => {
        const labels = labelsOf(slice);
        return labels[SERVICE_NAME] === name && labels[MANAGED_BY] === MIRROR_MANAGER;
      });
  }
}
