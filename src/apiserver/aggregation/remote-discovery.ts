/**
 * Holds what other API servers serve, according to their last answers. A server that does not answer keeps
 * its entry, marked as stale: clients then know that their list is incomplete.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { readStruct, readText } from '../../api/validation/json-reading.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { nameOf } from '../objects/metadata.ts';
import type { RemoteVersion } from '../objects/remote-apis.ts';
import { versionOf } from './api-service-condition.ts';
import { AGGREGATOR, objectOf, type BackendClient } from './backend-client.ts';
import {
  AGGREGATED_ACCEPT,
  fromAggregated,
  fromResourceList,
  isAggregated,
} from './discovered-version.ts';

export interface DiscoveryDeps {
  readonly client: BackendClient;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  readonly resources: readonly JsonObject[];
  readonly isFresh: boolean;
  readonly askedMs: number;
  /** The address of its OpenAPI document; null: it has none. */
  readonly document: string | null;
  /** The spec of the APIService that was asked. */
  readonly spec: Json;
}

/** kube-aggregator's interval. */
const REFRESH_MS = 60_000;

export class RemoteDiscovery {
  readonly #deps: DiscoveryDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: DiscoveryDeps) {
    this.#deps = deps;
  }

  /** Asks the server, unless its last answer is still good. Never rejects. */
  async refresh(apiService: JsonObject): Promise<void> {
    const name = nameOf(apiService);
    const known = this.#known.get(name);
    const nowMs = this.#deps.clock.monotonic();
    const { spec = null } = apiService;
    const isGood = known?.isFresh === true && jsonEqual(known.spec, spec);
    if (isGood && nowMs - known.askedMs < REFRESH_MS) return;
    try {
      const resources = await this.#resources(apiService);
      const document = await this.#document(apiService);
      this.#known.set(name, { resources, isFresh: true, askedMs: nowMs, document, spec });
    } catch (error) {
      this.#deps.log.debug('discovery of an aggregated API failed', { apiService: name, error });
      this.unavailable(apiService);
    }
  }

  unavailable(apiService: JsonObject): void {
    const name = nameOf(apiService);
    const { resources = [], document = null, askedMs = 0 } = this.#known.get(name) ?? {};
    const { spec = null } = apiService;
    this.#known.set(name, { resources, isFresh: false, askedMs, document, spec });
  }

  forget(name: string): void {
    this.#known.delete(name);
  }

  /** As aggregated discovery describes it. */
  describe({ group, version }: RemoteVersion): JsonObject {
    const { resources = [], isFresh = false } = this.#known.get(`${version}.${group}`) ?? {};
    return { version, resources, freshness: isFresh ? 'Current' : 'Stale' };
  }

  documentOf({ group, version }: RemoteVersion): string | null {
    return this.#known.get(`${version}.${group}`)?.document ?? null;
  }

  async #resources(apiService: JsonObject): Promise<readonly JsonObject[]> {
    const wanted = versionOf(apiService);
    const { client } = this.#deps;
    const asked = { path: '/apis', user: AGGREGATOR, accept: AGGREGATED_ACCEPT };
    const answer = await client.call(apiService, asked);
    if (answer.status === 200 && isAggregated(answer.contentType)) {
      return fromAggregated(objectOf(answer), wanted);
    }
    const path = `/apis/${wanted.group}/${wanted.version}`;
    return fromResourceList(objectOf(await client.call(apiService, { path, user: AGGREGATOR })));
  }

  /** Null also if the index cannot be read: kinds are served without a document, too. */
  async #document(apiService: JsonObject): Promise<string | null> {
    const { group, version } = versionOf(apiService);
    const key = `apis/${group}/${version}`;
    try {
      const asked = { path: '/openapi/v3', user: AGGREGATOR };
      const index = objectOf(await this.#deps.client.call(apiService, asked));
      const entry = readStruct(readStruct(index['paths'])[key]);
      const address = readText(entry['serverRelativeURL']);
      const path = `/openapi/v3/${key}`;
      return address === path || address.startsWith(`${path}?`) ? address : null;
    } catch (error) {
      const facts = { apiService: nameOf(apiService), error };
      this.#deps.log.debug('OpenAPI index of an aggregated API cannot be read', facts);
      return null;
    }
  }
}
