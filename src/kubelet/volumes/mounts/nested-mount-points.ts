/**
 * Finds the folders in a volume on which containers mount other volumes. The volume is created with these
 * folders: in a read-only volume the runtime could not create them later.
 */
import path from 'node:path';
import type { Pod } from '../../../api/pod.ts';
import { allContainersOf } from '../volume-spec.ts';

/**
 * The paths are relative to the volume. If one mount point lies in another, only the outer one is in this
 * volume.
 */
export function nestedMountPoints(pod: Pod, volume: string): readonly string[] {
  const found = allContainersOf(pod).flatMap(({ volumeMounts = [] }) => {
    const all = volumeMounts.map(({ mountPath }) => path.posix.normalize(`/${mountPath}/`)).sort();
    const own = volumeMounts
      .filter(({ name }) => name === volume)
      .map(({ mountPath }) => path.posix.normalize(`/${mountPath}/`));
    return own.flatMap((mine) =>
      outermost(all.filter((at) => at !== mine && at.startsWith(mine))).map((at) =>
        at.slice(mine.length, -1),
      ),
    );
  });
  return [...new Set(found)];
}

function outermost(sorted: readonly string[]): readonly string[] {
  const outer: string[] = [];
  for (const at of sorted) if (!outer.some((other) => at.startsWith(other))) outer.push(at);
  return outer;
}
