/** The namespaces that every cluster has. A server makes those that are missing when it starts. */
import { StatusError } from '../status.ts';
import { namespaces } from '../kinds/namespace.ts';
import { keyOf, type CreateRequest } from '../registry.ts';
import type { ServerParts } from '../server-parts.ts';
import { nameOf } from '../metadata.ts';

const NAMES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export async function bootstrapNamespaces(parts: ServerParts): Promise<void> {
  await createMissing(
    parts,
    NAMES.map((name) => ({ definition: namespaces, namespace: '', body: { metadata: { name } } })),
  );
}

/** What is there stays as it is. All of them reach the disk together. */
export async function createMissing(
  { store, registry }: ServerParts,
  wanted: readonly CreateRequest[],
): Promise<void> {
  const missing = wanted.filter(({ definition, namespace, body }) => {
    return !store.get(keyOf({ definition, namespace, name: nameOf(body) }));
  });
  await Promise.all(missing.map((request) => registry.create(request).catch(ignoreExisting)));
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error;
}
