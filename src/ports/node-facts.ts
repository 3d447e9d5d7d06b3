/** What containers may be told of the node that they run on, and of the services around it. */
import type { ResourceList } from '../api/resources.ts';
import type { JsonObject } from '../lib/json.ts';

export interface NodeFacts {
  /** Of the node, the first one first. Empty: not known yet. */
  hostIPs(): readonly string[];
  allocatable(): ResourceList;
  /** Of all namespaces. Null: they have not been read yet. A node without an API server has none. */
  services(): readonly JsonObject[] | null;
}
