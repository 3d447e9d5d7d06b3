/** How a container's volume mounts are reported: read-only mounts say how deep that goes. */
import type { Container, VolumeMount, VolumeMountStatus } from '../api/pod.ts';

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

/** A wish that cannot be granted is reported as not granted; starting the container refuses it. */
function isRecursive(mount: VolumeMount, supported: boolean): boolean {
  const wished = (mount.recursiveReadOnly ?? 'Disabled') !== 'Disabled';
  return wished && (mount.mountPropagation ?? 'None') === 'None' && supported;
}
