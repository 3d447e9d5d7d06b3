/** Lists the ConfigMaps and Secrets of a volume: when one of them changes, the volume is updated. */
import type { LookedUpObject } from '../../../ports/api/object-lookup.ts';
import type { Volume } from '../volume-spec.ts';

export function watchedObjects(
  { configMap, secret, projected }: Volume,
  namespace: string,
): readonly LookedUpObject[] {
  const sources = projected?.sources ?? [];
  const named = [
    { kind: 'ConfigMap', name: configMap?.name },
    { kind: 'Secret', name: secret?.secretName },
    ...sources.map((source) => ({ kind: 'ConfigMap', name: source.configMap?.name }) as const),
    ...sources.map((source) => ({ kind: 'Secret', name: source.secret?.name }) as const),
  ] as const;
  return named.flatMap(({ kind, name }) => (name ? [{ kind, namespace, name }] : []));
}
