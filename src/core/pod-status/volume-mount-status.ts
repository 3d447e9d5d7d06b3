/** The status of a container's volume mounts: read-only mounts report whether they are recursive. */
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

/** A request that cannot be granted is reported as not granted; starting the container refuses it. */
function isRecursive(mount: VolumeMount, supported: boolean): boolean {
  const wished = (mount.recursiveReadOnly ?? 'Disabled') !== 'Disabled';
  return wished && (mount.mountPropagation ?? 'None') === 'None' && supported;
}
