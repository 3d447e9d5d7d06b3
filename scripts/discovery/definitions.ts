/**
 * Two CustomResourceDefinitions that are probed besides the built-in kinds: one namespaced, one
 * cluster-scoped.
 */
import type { JsonObject } from '../../src/lib/json.ts';

const SCHEMA: JsonObject = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

export const PROBED_DEFINITIONS: readonly JsonObject[] = [
  define('widgets', 'Widget', 'Namespaced', {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  }),
  define('gadgets', 'Gadget', 'Cluster'),
];

function define(
  plural: string,
  kind: string,
  scope: string,
  subresources?: JsonObject,
): JsonObject {
  const version = { name: 'v1', served: true, storage: true, schema: SCHEMA };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ ...version, ...(subresources && { subresources }) }],
    },
  };
}
