/** Creates the two system PriorityClasses that every cluster has for critical pods. */
import { priorityClasses } from '../kinds/core/priority-class.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { createMissing } from './namespaces.ts';

const CLASSES = [
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node ' +
      'if necessary.',
  },
];

export async function bootstrapPriorityClasses(parts: ServerParts): Promise<void> {
  const wanted = CLASSES.map((body) => ({ definition: priorityClasses, namespace: '', body }));
  await createMissing(parts, wanted);
}
