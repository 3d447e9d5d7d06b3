/**
 * Finds running containers that were created from another image than the spec has now; the sync restarts
 * them.
 *
 * The container hash decides: this process remembers the hashes of the containers that it created, and other
 * containers have their hash in an annotation. Without a hash, the image names are compared. A name that
 * cannot be compared, such as the bare digest that some runtimes report, does not cause a restart.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { containerHash } from '../pod/container-labels.ts';
import { isSameImage } from '../../api/values/image-name.ts';
import { findContainer } from '../../api/run-spec.ts';

/** By container ID: the hash of the spec that the container was created from. */
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
