/** Facts about the node that are passed to containers (downward API, service variables). */
import type { ResourceList } from '../api/resources.ts';
import type { JsonObject } from '../lib/json.ts';

export interface NodeFacts {
  /** The node's addresses, the primary one first. Empty: not known yet. */
  hostIPs(): readonly string[];
  allocatable(): ResourceList;
  /** The Services of all namespaces. Null: they have not been read yet. A node without an API server has none. */
  services(): readonly JsonObject[] | null;
}
