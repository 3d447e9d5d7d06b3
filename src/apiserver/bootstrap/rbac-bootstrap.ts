/**
 * Sees to it that the roles and bindings of the first hour are there. On the first start they come in
 * one commit, and aggregated roles come with what they gather.
 */
import { formatTime } from '../../api/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Change } from '../../ports/object-store.ts';
import { aggregatedRules } from '../auth/rbac/aggregation.ts';
import { metadataForCreate, withMetadata } from '../metadata.ts';
import { keyOf } from '../registry.ts';
import type { ServerParts } from '../server-parts.ts';
import { policyObjects, type PolicyObject } from './rbac-policy.ts';
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

/** The rules that the aggregator would find, so that nobody ever sees the roles without them. */
function aggregate(policy: readonly PolicyObject[]): ReadonlyMap<PolicyObject, JsonObject> {
  const gathered = new Map(policy.map((one) => [one, one.object]));
  // Roles gather from roles that gather: `admin` what `edit` has, `edit` what `view` has.
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

/** What an aggregated role gathers is the aggregator's business once it is there. */
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
