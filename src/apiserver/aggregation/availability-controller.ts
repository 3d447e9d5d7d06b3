/**
 * Checks the APIServices that name a Service, and writes whether they are available.
 *
 *     a change of the APIService, its Service or its EndpointSlices ──┐
 *     thirty seconds since the last check ─────────────────────────────┼──> check ──> condition, discovery
 *     a failed check: soon, and each time twice as long after ─────────┘
 *
 * A server counts as available when it answers its own discovery. Each attempt may reach another endpoint. If
 * the first attempt fails, four more are made at the same time; one that succeeds is enough.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { JsonObject } from '../../lib/json.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { endpointSlices } from '../kinds/networking/endpoint-slice.ts';
import { services } from '../kinds/networking/service.ts';
import { textAt } from '../objects/field-path.ts';
import { labelsOf } from '../objects/object-labels.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';
import { prefixOf } from '../registry/registry.ts';
import { follow } from '../registry/object-feed.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { isRemote, PASSED, type Availability } from './api-service-condition.ts';
import {
  API_SERVICES,
  findApiService,
  findService,
  SERVICE_NAME_LABEL,
  slicesOfService,
  writeAvailability,
} from './api-service-store.ts';
import { cannotBeChecked, decideAvailability, failedDiscovery } from './availability.ts';
import { AGGREGATOR, serviceOf, type BackendClient } from './backend-client.ts';
import type { RemoteDiscovery } from './remote-discovery.ts';

const CHECK_MS = 30_000;
const RETRY_MS_MIN = 100;
const ATTEMPTS = 5;

export class AvailabilityController {
  readonly #parts: ServerParts;
  readonly #client: BackendClient;
  readonly #discovery: RemoteDiscovery;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];
  readonly #failures = new Map<string, number>();

  constructor(parts: ServerParts, client: BackendClient, discovery: RemoteDiscovery) {
    this.#parts = parts;
    this.#client = client;
    this.#discovery = discovery;
    const { clock, random, log, store } = parts;
    const work = (name: string): Promise<void> => this.#check(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'apiservice-availability', work });
    this.#leave = [
      follow(store, API_SERVICES, ({ value, before }) => {
        // What this controller writes itself changes nothing that it reads.
        if (before && hasSameSpec(before, value)) return;
        this.#queue.add(nameOf(value));
      }),
      store.watch(prefixOf(services, ''), store.revision, ({ value }) =>
        this.#wake(namespaceOf(value), nameOf(value)),
      ),
      store.watch(prefixOf(endpointSlices, ''), store.revision, ({ value, before }) => {
        for (const slice of [value, ...(before ? [before] : [])]) {
          this.#wake(namespaceOf(slice), labelsOf(slice)[SERVICE_NAME_LABEL] ?? '');
        }
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #wake(namespace: string, name: string): void {
    if (name === '') return;
    for (const { value } of this.#parts.store.list(API_SERVICES).objects) {
      if (!isRemote(value)) continue;
      const service = serviceOf(value);
      if (service.namespace === namespace && service.name === name) this.#queue.add(nameOf(value));
    }
  }

  async #check(name: string): Promise<void> {
    const apiService = findApiService(this.#parts, name);
    if (!apiService || !isRemote(apiService)) {
      this.#failures.delete(name);
      this.#discovery.forget(name);
      return;
    }
    const found = this.#state(apiService) ?? (await this.#ask(apiService));
    if (found.status === 'True') {
      this.#failures.delete(name);
      // First, so that a client that sees the condition can find the kinds.
      await this.#discovery.refresh(apiService);
    } else {
      this.#discovery.unavailable(apiService);
    }
    const applies = (now: JsonObject): boolean => hasSameSpec(now, apiService);
    await writeAvailability(this.#parts, name, found, applies);
    this.#queue.addAfter(name, this.#nextMs(name, found));
  }

  /** Null: the server must be asked. */
  #state(apiService: JsonObject): Availability | null {
    const reference = serviceOf(apiService);
    const { namespace, name } = reference;
    let reason: 'ServiceAccessError' | 'EndpointsAccessError' = 'ServiceAccessError';
    try {
      const service = findService(this.#parts, namespace, name);
      reason = 'EndpointsAccessError';
      const slices = slicesOfService(this.#parts, namespace, name);
      return decideAvailability(reference, { service, slices });
    } catch (error) {
      if (!(error instanceof PodkeepError)) throw error;
      return cannotBeChecked(reference, reason, error.message);
    }
  }

  async #ask(apiService: JsonObject): Promise<Availability> {
    try {
      await this.#attempt(apiService);
    } catch {
      const others = Array.from({ length: ATTEMPTS - 1 }, () => this.#attempt(apiService));
      const results = await Promise.allSettled(others);
      const failed = results.filter((one) => one.status === 'rejected');
      if (failed.length === others.length) return failedDiscovery(messageOf(failed.at(-1)?.reason));
    }
    return PASSED;
  }

  async #attempt(apiService: JsonObject): Promise<void> {
    const path = `/apis/${textAt(apiService, 'spec.group')}/${textAt(apiService, 'spec.version')}`;
    const { url, status } = await this.#client
      .call(apiService, { path, user: AGGREGATOR })
      .catch((error: unknown) => {
        const asked = error instanceof Error && 'url' in error ? String(error.url) : null;
        if (asked === null) throw error;
        throw new Error(`failing or missing response from ${asked}: ${messageOf(error)}`);
      });
    if (status >= 200 && status < 300) return;
    const problem = `bad status from ${url}: ${status}`;
    throw new Error(`failing or missing response from ${url}: ${problem}`);
  }

  /** A server that was asked in vain is asked again soon. Everything else is watched. */
  #nextMs(name: string, { reason }: Availability): number {
    if (reason !== 'FailedDiscoveryCheck') return CHECK_MS;
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    return Math.min(RETRY_MS_MIN * 2 ** (failures - 1), CHECK_MS);
  }
}

function hasSameSpec(a: JsonObject, b: JsonObject): boolean {
  return jsonEqual(a['spec'] ?? null, b['spec'] ?? null);
}

function namespaceOf(object: JsonObject): string {
  return textOf(metadataOf(object)['namespace']);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
