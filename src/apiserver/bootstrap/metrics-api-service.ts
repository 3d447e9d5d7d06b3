/**
 * Creates the APIService of the metrics API, which this server serves itself: tools look for it before they
 * read metrics. An existing object of this name is not changed.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import { apiServices } from '../kinds/extension/api-service.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { createMissing } from './namespaces.ts';

const [GROUP, VERSION] = ['metrics.k8s.io', 'v1beta1'];
const TARGET = { definition: apiServices, namespace: '', name: `${VERSION}.${GROUP}` };

/** Its priorities are those of metrics-server. */
const API_SERVICE: JsonObject = {
  metadata: {
    name: TARGET.name,
    labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
  },
  spec: { group: GROUP, version: VERSION, groupPriorityMinimum: 100, versionPriority: 100 },
};

export async function bootstrapMetricsApiService(parts: ServerParts): Promise<void> {
  if (parts.store.get(keyOf(TARGET))) return;
  await createMissing(parts, [{ definition: apiServices, namespace: '', body: API_SERVICE }]);
  const condition = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(parts.clock.now()),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  const change = (old: JsonObject): JsonObject => ({ ...old, status: { conditions: [condition] } });
  await parts.registry.update({ ...TARGET, subresource: 'status', change, isExempt: true });
}
