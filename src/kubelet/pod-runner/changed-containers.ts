/**
 * Running containers that were started from another image than the spec has now: they start over.
 *
 * What this podkeep made, it remembers; what another podkeep or a kubelet made carries the hash that
 * was written on it. Where there is neither, the names are compared; a name that cannot be compared,
 * such as the bare digest that some runtimes tell, is no reason to restart anything.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { containerHash } from './container-labels.ts';
import { isSameImage } from '../../api/image-name.ts';
import { findContainer } from './run-spec.ts';

/** By container ID: the hash of the container that it was made from. */
export type KnownHashes = ReadonlyMap<string, string>;

export function changedContainers(
  pod: Pod,
  { containers }: RuntimePod,
  known: KnownHashes,
): ReadonlySet<string> {
  const changed = containers.filter(({ id, name, image, state, hash: written }) => {
    const container = findContainer(pod, name)?.container;
    if (!container || state !== 'running') return false;
    const hash = known.get(id) ?? written;
    if (hash !== undefined) return hash !== containerHash(container);
    return isSameImage(image, container.image ?? '') === false;
  });
  return new Set(changed.map(({ id }) => id));
}
