/**
 * The aggregator: loaded when the first APIService names a Service, and not before.
 *
 *     request ──> proxy ──────────────────────────┐
 *     availability ──> checks, discovery ─────────┼──> backend client ──> dialer of the front proxy
 *     namespace that is deleted ──> its content ──┘
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse, Connection } from '../../ports/api/http-handler.ts';
import type { RemoteContents, RemoteRemains, RemoteVersion } from '../objects/remote-apis.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { ApiProxy, type ProxyCall } from './api-proxy.ts';
import { versionOf } from './api-service-condition.ts';
import { AvailabilityController } from './availability-controller.ts';
import { BackendClient, type BackendDeps } from './backend-client.ts';
import { deletableKinds, purgeKind } from './remote-contents.ts';
import { RemoteDiscovery } from './remote-discovery.ts';

export type AggregatorDeps = Pick<BackendDeps, 'frontProxy' | 'dialer'>;

export class Aggregator {
  readonly discovery: RemoteDiscovery;
  readonly #parts: ServerParts;
  readonly #client: BackendClient;
  readonly #proxy: ApiProxy;
  #availability: AvailabilityController | undefined;

  constructor(parts: ServerParts, deps: AggregatorDeps) {
    this.#parts = parts;
    const { store, random, clock, log } = parts;
    const client = new BackendClient({ store, random, clock, ...deps });
    this.#client = client;
    this.#proxy = new ApiProxy({ client, clock, log });
    this.discovery = new RemoteDiscovery({ client, clock, log });
  }

  /** From now on conditions are kept up to date. */
  start(): void {
    this.#availability ??= new AvailabilityController(this.#parts, this.#client, this.discovery);
  }

  async stop(): Promise<void> {
    await this.#availability?.stop();
  }

  answer(call: ProxyCall): Promise<ApiResponse> {
    return this.#proxy.answer(call);
  }

  /** Null: the connection has been answered. */
  connect(call: ProxyCall, connection: Connection): Promise<ApiResponse | null> {
    return this.#proxy.connect(call, connection);
  }

  /** A kind that several versions serve is emptied once. */
  async purge(namespace: string, apiServices: readonly JsonObject[]): Promise<RemoteContents> {
    const undiscovered = new Map<string, string>();
    const remains: RemoteRemains[] = [];
    const seen = new Set<string>();
    for (const apiService of apiServices) {
      const version = versionOf(apiService);
      await this.discovery.refresh(apiService);
      const found = this.discovery.describe(version);
      if (found['freshness'] !== 'Current') {
        const name = printVersion(version);
        undiscovered.set(name, `stale GroupVersion discovery: ${name}`);
        continue;
      }
      for (const kind of deletableKinds(version, found)) {
        const key = `${kind.resource}.${kind.group}`;
        if (seen.has(key)) continue;
        seen.add(key);
        remains.push(await purgeKind(this.#client, apiService, kind, namespace));
      }
    }
    return { undiscovered, remains };
  }
}

function printVersion({ group, version }: RemoteVersion): string {
  return `${group}/${version}`;
}
