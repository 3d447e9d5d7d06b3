/**
 * Decides the order in which the containers of a pod stop (KL-14): regular containers immediately, each
 * sidecar after them and after the sidecars that the spec lists after it, because a sidecar serves the
 * containers that started after it.
 */
import type { Pod } from '../../api/pod.ts';
import { isSidecar } from '../pod/pod-facts.ts';

/** Names of the running containers that have to stop before this one. */
export function stopsBefore(
  { spec }: Pod,
  running: ReadonlySet<string>,
  name: string,
): readonly string[] {
  const init = spec.initContainers ?? [];
  const index = init.findIndex((container) => container.name === name);
  const container = init[index];
  if (!container || !isSidecar(container)) return [];
  const later = init.slice(index + 1).filter(isSidecar);
  return [...spec.containers, ...later]
    .map((each) => each.name)
    .filter((each) => running.has(each));
}
