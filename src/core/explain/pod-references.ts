/**
 * Lists the ConfigMaps, Secrets and PersistentVolumeClaims that a pod refers to, with the volumes and
 * containers that need them.
 */
import type { JsonObject } from '../../lib/json.ts';
import { quoted } from './finding.ts';
import { objectAt, objectsAt, valueAt, wordAt } from './loose-json.ts';
import type { RelatedObject } from './pod-view.ts';

export type PodObjectReference = Omit<RelatedObject, 'object'>;

interface Found {
  readonly kind: RelatedObject['kind'];
  readonly name: string;
  readonly user: string;
  readonly isOptional: boolean;
}

export function objectsNeededBy(pod: JsonObject): readonly PodObjectReference[] {
  const found = [
    ...objectsAt(pod, 'spec', 'volumes').flatMap(fromVolume),
    ...['initContainers', 'containers'].flatMap((list) =>
      objectsAt(pod, 'spec', list).flatMap(fromContainer),
    ),
  ];
  const byName = new Map<string, PodObjectReference>();
  for (const { kind, name, user, isOptional } of found) {
    if (name === '') continue;
    const key = `${kind}/${name}`;
    const known = byName.get(key);
    byName.set(key, {
      kind,
      name,
      usedBy: known?.usedBy.includes(user) ? known.usedBy : [...(known?.usedBy ?? []), user],
      // One reference that is not optional is enough.
      isOptional: (known?.isOptional ?? true) && isOptional,
    });
  }
  return [...byName.values()];
}

function fromVolume(volume: JsonObject): readonly Found[] {
  const user = `volume ${quoted(wordAt(volume, 'name'))}`;
  const sources = [volume, ...objectsAt(volume, 'projected', 'sources')];
  const claim = wordAt(volume, 'persistentVolumeClaim', 'claimName');
  return [
    ...sources.flatMap((source) => [
      ...reference('ConfigMap', user, objectAt(source, 'configMap')),
      ...reference('Secret', user, objectAt(source, 'secret')),
    ]),
    { kind: 'PersistentVolumeClaim', name: claim, user, isOptional: false },
  ];
}

function fromContainer(container: JsonObject): readonly Found[] {
  const user = `container ${quoted(wordAt(container, 'name'))}`;
  const all = objectsAt(container, 'envFrom').flatMap((source) => [
    ...reference('ConfigMap', user, objectAt(source, 'configMapRef')),
    ...reference('Secret', user, objectAt(source, 'secretRef')),
  ]);
  const single = objectsAt(container, 'env').flatMap((variable) => [
    ...reference('ConfigMap', user, objectAt(variable, 'valueFrom', 'configMapKeyRef')),
    ...reference('Secret', user, objectAt(variable, 'valueFrom', 'secretKeyRef')),
  ]);
  return [...all, ...single];
}

/** The field is `secretName` in a secret volume, and `name` in all other references. */
function reference(
  kind: 'ConfigMap' | 'Secret',
  user: string,
  source: JsonObject | null,
): readonly Found[] {
  if (!source) return [];
  const name = wordAt(source, 'secretName') || wordAt(source, 'name');
  return [{ kind, name, user, isOptional: valueAt(source, 'optional') === true }];
}
