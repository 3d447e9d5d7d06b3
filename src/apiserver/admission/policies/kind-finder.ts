/** Finds a served kind by its apiVersion and kind. The index is rebuilt when the catalog changes. */
import type { KindDefinition } from '../../objects/kind.ts';
import type { Catalog } from '../../registry/catalog.ts';

interface KindIndex {
  readonly version: number;
  readonly kinds: ReadonlyMap<string, KindDefinition>;
}

const indexes = new WeakMap<Catalog, KindIndex>();

export function findKind(
  catalog: Catalog,
  apiVersion: string,
  kind: string,
): KindDefinition | undefined {
  let index = indexes.get(catalog);
  if (index?.version !== catalog.version) {
    const kinds = new Map(catalog.all().map((one) => [keyOfKind(one), one]));
    index = { version: catalog.version, kinds };
    indexes.set(catalog, index);
  }
  return index.kinds.get(`${apiVersion.includes('/') ? '' : '/'}${apiVersion}/${kind}`);
}

function keyOfKind({ group, version, kind }: KindDefinition): string {
  return `${group}/${version}/${kind}`;
}
