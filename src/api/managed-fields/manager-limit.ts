/**
 * Limits the number of Update managers: beyond it, the oldest entries are merged into one, `ancient-changes`.
 * So clients that write under ever new names cannot make an object grow without limit.
 */
import { union } from './field-set.ts';
import { compareText, identifierOf, seconds, type ManagedSet, type Managers } from './managers.ts';

const UPDATE_MANAGERS_MAX = 10;
const OLD_UPDATES = 'ancient-changes';

export function limitManagers(managers: Managers): Managers {
  const updates = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updates.length <= UPDATE_MANAGERS_MAX) return managers;
  updates.sort(([a, x], [b, y]) => seconds(x) - seconds(y) || compareText(a, b));
  const after = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let excess = updates.length - UPDATE_MANAGERS_MAX;
  for (const [id, entry] of updates) {
    if (excess === 0) break;
    const { apiVersion } = entry;
    const bucket = bucketOf(entry);
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, id);
      continue;
    }
    const bucketId = identifierOf(bucket);
    const known = after.get(bucketId) ?? after.get(first);
    if (!after.has(bucketId)) after.delete(first);
    after.set(bucketId, { ...bucket, set: known ? union(entry.set, known.set) : entry.set });
    after.delete(id);
    excess--;
  }
  return after;
}

function bucketOf({ apiVersion, time, set }: ManagedSet): ManagedSet {
  return { manager: OLD_UPDATES, operation: 'Update', apiVersion, subresource: '', time, set };
}
