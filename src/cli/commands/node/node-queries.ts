/** Queries the query API (/podkeep/v1) of nodes, through the API server's node proxy. */
import { escapeFieldValue } from '../../../api/values/field-selector.ts';
import { defineError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { Io } from '../../io.ts';
import { visibleText } from '../../terminal-text.ts';
import type { ApiSession } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { objectAt } from './object-fields.ts';

const nodeNotQueryable = defineError<{ node: string; reason: string }>({
  code: 'NODE_NOT_QUERYABLE',
  retry: 'backoff',
  message: ({ node, reason }) => `node ${node} does not answer queries: ${reason}`,
  hint: () => 'Only nodes that podkeep runs have /podkeep/v1; check that it runs, and your rights.',
});

/** The given node name, or the names of all nodes. */
export async function nodeNames(
  session: ApiSession,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (wanted !== undefined) {
    await session.ask(`/api/v1/nodes/${encodeURIComponent(wanted)}`, signal);
    return [wanted];
  }
  const list = await session.ask('/api/v1/nodes', signal);
  return objectsIn(list['items']).map((node) => textOf(objectAt(node, 'metadata')['name']));
}

export function namespaceQuery(namespace: string): string {
  const fieldSelector = `metadata.namespace=${escapeFieldValue(namespace)}`;
  return new URLSearchParams({ fieldSelector }).toString();
}

/** Throws NODE_NOT_QUERYABLE. */
export async function askNode(
  session: ApiSession,
  node: string,
  path: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const target = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/podkeep/v1/${path}`;
  try {
    return await session.ask(target, signal);
  } catch (error) {
    // An invalid selector is invalid on every node, so the command fails.
    if (!(error instanceof ApiError) || error.statusCode === 400) throw error;
    throw nodeNotQueryable({ node, reason: error.message }, error);
  }
}

/**
 * Queries every node. A node that does not answer is reported as a warning; the answers of the others are
 * returned.
 */
export async function askNodes<Answer>(
  names: readonly string[],
  io: Io,
  ask: (node: string) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly code: number }> {
  if (names.length === 1) return { answers: await Promise.all(names.map(ask)), code: 0 };
  const settled = await Promise.allSettled(names.map(ask));
  for (const one of settled) {
    if (one.status === 'fulfilled') continue;
    const reason: unknown = one.reason;
    const message = reason instanceof Error ? reason.message : String(reason);
    io.err(`warning ${visibleText(message)}\n`);
  }
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return { answers, code: answers.length === names.length ? 0 : 1 };
}
