/**
 * The API versions that other API servers serve: those of APIServices that name a Service.
 *
 * This interface has what the other parts of the server need to know about these versions; aggregation/ sends
 * the requests to their servers.
 */
import type { JsonObject } from '../../lib/json.ts';

export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
}

/** What the controller of namespaces learns from the other servers. */
export interface RemoteContents {
  /** By group and version, as `group/version`: why their kinds are not known. */
  readonly undiscovered: ReadonlyMap<string, string>;
  /** What is left of each kind after its objects were deleted. */
  readonly remains: readonly RemoteRemains[];
}

export interface RemoteRemains {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** One for each object and finalizer. */
  readonly finalizers: readonly string[];
  /** Null: the objects could be deleted, or wait for their finalizers. */
  readonly failure: string | null;
}

export interface RemoteApis {
  /** Whether another server serves this version, available or not. */
  has(group: string, version: string): boolean;
  /** In no order. */
  all(): readonly RemoteVersion[];
  /** As aggregated discovery describes the version; stale if its server does not answer. */
  discoveryOf(version: RemoteVersion): JsonObject;
  /** The OpenAPI documents of other servers: the address of each by its path behind `/openapi/v3/`. */
  documents(): ReadonlyMap<string, string>;
  /** Deletes everything in a namespace, and reports what is left. */
  purge(namespace: string): Promise<RemoteContents>;
}

export const NO_REMOTE_APIS: RemoteApis = {
  has: () => false,
  all: () => [],
  discoveryOf: ({ version }) => ({ version, freshness: 'Stale' }),
  documents: () => new Map(),
  purge: () => Promise.resolve({ undiscovered: new Map(), remains: [] }),
};
