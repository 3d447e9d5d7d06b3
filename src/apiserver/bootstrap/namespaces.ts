/** Creates the namespaces that every cluster has, if they are missing, when the server starts. */
import { StatusError } from '../objects/status.ts';
import { namespaces } from '../kinds/core/namespace.ts';
import { keyOf, type CreateRequest } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { nameOf } from '../objects/metadata.ts';

const NAMES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export async function bootstrapNamespaces(parts: ServerParts): Promise<void> {
  await createMissing(
    parts,
    NAMES.map((name) => ({ definition: namespaces, namespace: '', body: { metadata: { name } } })),
  );
}

/** Existing objects are not changed. All new ones are written to disk together. */
export async function createMissing(
  { store, registry }: ServerParts,
  wanted: readonly CreateRequest[],
): Promise<void> {
  const missing = wanted.filter(({ definition, namespace, body }) => {
    return !store.get(keyOf({ definition, namespace, name: nameOf(body) }));
  });
  await Promise.all(
    missing.map((request) => registry.create({ ...request, isExempt: true }).catch(ignoreExisting)),
  );
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
}
