/**
 * Queues Services for the endpoints controllers: when a Service changes, when a pod changes that it selects
 * (before or after the change), and when a node is added or changes its zone.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { nodes } from '../../../kinds/core/node.ts';
import { services } from '../../../kinds/networking/service.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { metadataOf, textOf } from '../../../objects/metadata.ts';
import { follow } from '../../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { NamespacePods } from '../shared/namespace-pods.ts';
import type { OwnedChange, OwnedIndex } from '../shared/owned-index.ts';
import { WorkloadDriver } from '../shared/workload-driver.ts';
import type { WorkloadEvents } from '../shared/workload-events.ts';
import { areEndpointsAffected, hasPodSelector, serviceMatcher } from './service-selector.ts';

export interface ServiceDriverOptions {
  readonly parts: ServerParts;
  readonly pods: OwnedIndex;
  readonly name: string;
  readonly events: WorkloadEvents;
  /** Called for Services with a selector, with the pods that they select. */
  readonly sync: (service: JsonObject, pods: readonly JsonObject[], key: string) => Promise<void>;
  /** Called when the Service is deleted. */
  readonly forget: (key: string) => Promise<void>;
}

const ZONE = 'topology.kubernetes.io/zone';

export class ServiceDriver implements Controller {
  readonly #options: ServiceDriverOptions;
  readonly #driver: WorkloadDriver;
  readonly #pods: NamespacePods;
  readonly #leave: readonly (() => void)[];

  constructor(options: ServiceDriverOptions) {
    this.#options = options;
    const { parts, name, events, forget } = options;
    this.#pods = new NamespacePods(parts);
    this.#driver = new WorkloadDriver({
      parts,
      name,
      definition: services,
      events,
      owned: [],
      sync: (service, key) => this.#sync(service, key),
      forget,
    });
    this.#leave = [
      options.pods.subscribe((change) => this.#noticePod(change)),
      follow(parts.store, prefixOf(nodes, ''), ({ type, value, before }) => {
        const isSameZone = before && labelsOf(before)[ZONE] === labelsOf(value)[ZONE];
        if (type === 'delete' || !isSameZone) this.#enqueueAll();
      }),
    ];
  }

  enqueue(namespace: string, name: string): void {
    this.#driver.enqueue(keyOf({ definition: services, namespace, name }));
  }

  enqueueAfter(namespace: string, name: string, delayMs: number): void {
    this.#driver.enqueueAfter(keyOf({ definition: services, namespace, name }), delayMs);
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#driver.stop();
    this.#pods.stop();
  }

  async #sync(service: JsonObject, key: string): Promise<null> {
    if (!hasPodSelector(service)) return null;
    const all = this.#pods.in(textOf(metadataOf(service)['namespace']));
    await this.#options.sync(service, all.filter(serviceMatcher(service)), key);
    return null;
  }

  #noticePod({ value, before, isGone }: OwnedChange): void {
    if (before && !isGone && !areEndpointsAffected(before, value)) return;
    const namespace = textOf(metadataOf(value)['namespace']);
    for (const [key, service] of this.#servicesIn(namespace)) {
      const matches = serviceMatcher(service);
      if (matches(value) || (before && matches(before))) this.#driver.enqueue(key);
    }
  }

  #enqueueAll(): void {
    for (const [key] of this.#servicesIn('')) this.#driver.enqueue(key);
  }

  #servicesIn(namespace: string): readonly (readonly [string, JsonObject])[] {
    const { objects } = this.#options.parts.store.list(prefixOf(services, namespace));
    return objects
      .filter(({ value }) => hasPodSelector(value))
      .map(({ key, value }) => [key, value] as const);
  }
}
