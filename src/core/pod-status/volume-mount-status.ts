/**
 * Computes the statuses of a container's volume mounts: read-only mounts report whether they are recursively
 * read-only.
 */
import type { Container, VolumeMount, VolumeMountStatus } from '../../api/pod.ts';

export function volumeMountStatuses(
  container: Container,
  supportsRecursiveReadOnly: boolean,
): readonly VolumeMountStatus[] {
  return (container.volumeMounts ?? []).map((mount) => ({
    name: mount.name,
    mountPath: mount.mountPath,
    ...(mount.readOnly
      ? {
          readOnly: true,
          recursiveReadOnly: isRecursive(mount, supportsRecursiveReadOnly) ? 'Enabled' : 'Disabled',
        }
      : undefined),
  }));
}

/**
 * A recursive read-only mount that is not supported is reported as Disabled; the start of the container
 * fails.
 */
function isRecursive(mount: VolumeMount, supported: boolean): boolean {
  const wished = (mount.recursiveReadOnly ?? 'Disabled') !== 'Disabled';
  return wished && (mount.mountPropagation ?? 'None') === 'None' && supported;
}
