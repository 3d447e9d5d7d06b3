/**
 * Creates and updates the default RBAC roles and bindings. The first start writes them in one commit,
 * aggregated roles with their rules.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Change } from '../../ports/api/object-store.ts';
import { aggregatedRules } from '../auth/rbac/aggregation.ts';
import { metadataForCreate, withMetadata } from '../objects/metadata.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { policyObjects, type PolicyObject } from '../auth/rbac/rbac-policy.ts';
import { reconcile } from './rbac-reconciliation.ts';

type BootstrapParts = Pick<ServerParts, 'store' | 'clock' | 'random'>;

export async function bootstrapPolicy(parts: BootstrapParts): Promise<void> {
  const policy = policyObjects();
  let gathered: ReadonlyMap<PolicyObject, JsonObject> | null = null;
  const complete = (one: PolicyObject): JsonObject => {
    gathered ??= aggregate(policy);
    return gathered.get(one) ?? one.object;
  };
  const changes = policy.flatMap((one) => changesFor(parts, one, complete));
  if (changes.length > 0) await parts.store.commit(changes);
}

/**
 * Computes the rules that the aggregator would compute, so that aggregated roles are never visible without
 * rules.
 */
function aggregate(policy: readonly PolicyObject[]): ReadonlyMap<PolicyObject, JsonObject> {
  const gathered = new Map(policy.map((one) => [one, one.object]));
  // Aggregated roles aggregate each other: `admin` includes `edit`, and `edit` includes `view`.
  for (let isOver = false; !isOver;) {
    isOver = true;
    const all = [...gathered].filter(([one]) => isClusterRole(one)).map(([, object]) => object);
    for (const [one, object] of gathered) {
      const rules = isClusterRole(one) ? aggregatedRules(object, all) : null;
      if (!rules) continue;
      gathered.set(one, { ...object, rules });
      isOver = false;
    }
  }
  return gathered;
}

function isClusterRole({ definition }: PolicyObject): boolean {
  return definition.kind === 'ClusterRole';
}

/** The rules of an existing aggregated role belong to the aggregator and are not changed here. */
function changesFor(
  { store, clock, random }: BootstrapParts,
  wanted: PolicyObject,
  complete: (wanted: PolicyObject) => JsonObject,
): readonly Change[] {
  const key = keyOf(wanted);
  const stored = store.get(key);
  const reconciled = stored ? reconcile(stored.value, wanted.object) : null;
  if (stored && reconciled === stored.value) return [];
  if (reconciled) return [put(key, stored?.revision ?? 0, reconciled)];
  const object = complete(wanted);
  const filled = wanted.definition.rules.applyDefaults?.(object) ?? object;
  const made = metadataForCreate(filled, formatTime(clock.now()), random);
  return [put(key, stored?.revision ?? 0, made)];
}

function put(key: string, expected: number, object: JsonObject): Change {
  const make = (revision: number): JsonObject =>
    withMetadata(object, { resourceVersion: String(revision) });
  return { key, expected, make };
}
