/**
 * Records which volumes a pod still waits for, after each attempt of the volume manager to mount or unmount
 * them.
 */
import type { PodReference } from '../../api/pod-reference.ts';
import type { WaitName } from '../../core/pod-waits/wait-names.ts';
import type { VolumesWait } from '../../ports/pod/pod-volumes.ts';
import type { PodWaits } from '../waiting/pod-waits.ts';

export function volumeWaits(
  waits: PodWaits | undefined,
  pod: PodReference,
  nameOf: (volume: string) => WaitName,
): VolumesWait {
  const known = new Set<string>();
  return (volumes) => {
    const names = new Set(volumes.map(({ name }) => name));
    for (const name of known) if (!names.has(name)) waits?.over(pod, nameOf(name));
    known.clear();
    for (const { name, why, nextAtMs } of volumes) {
      known.add(name);
      waits?.wait(pod, nameOf(name), { why, nextAtMs });
    }
  };
}
