/**
 * The requests of nodes, from the audit log of the API server: the count does not depend on podkeep, and
 * nothing stands between the two.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../src/lib/json.ts';

/** Requests of other users are not logged, and of nodes only the metadata. */
export const AUDIT_POLICY: JsonObject = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  // A watch ends long after its request, so its beginning counts.
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', userGroups: ['system:nodes'] }, { level: 'None' }],
};

export interface AuditEntry {
  readonly user: string;
  readonly verb: string;
  /** With names replaced by placeholders, and subresources kept: `pods/{name}/status`. */
  readonly pattern: string;
  readonly code: number;
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly requestURI: string;
  readonly responseStatus?: { readonly code?: number };
}

const WATCH = 'watch';

/** From an offset in the file, which `sizeOf` returned before. */
export function readAuditLog(file: string, from = 0): readonly AuditEntry[] {
  const text = readFileSync(file).subarray(from).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ stage, verb }) =>
      verb === WATCH ? stage === 'ResponseStarted' : stage === 'ResponseComplete',
    )
    .map((line) => ({
      user: line.user.username,
      verb: line.verb,
      pattern: patternOf(line),
      code: line.responseStatus?.code ?? 0,
    }));
}

export function sizeOf(file: string): number {
  return readFileSync(file).length;
}

/** How often each verb was used on each pattern. */
export function countRequests(entries: readonly AuditEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, pattern } of entries) {
    const key = `${verb} ${pattern}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Readable: the most frequent first. */
export function printCounts(counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].toSorted(([, one], [, other]) => other - one);
  return rows.map(([what, count]) => `${String(count).padStart(6)}  ${what}`).join('\n');
}

function patternOf({ objectRef, requestURI }: AuditLine): string {
  if (!objectRef?.resource) return requestURI.split('?')[0] ?? '';
  const { resource, name, subresource } = objectRef;
  return [resource, ...(name ? ['{name}'] : []), ...(subresource ? [subresource] : [])].join('/');
}
