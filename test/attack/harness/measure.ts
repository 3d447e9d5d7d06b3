/** Measures what a pod costs the machine, from outside of it. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '../../e2e/support/patience.ts';
import { walk } from './node-files.ts';
import type { RunningPod } from './pod-attack.ts';
import type { Target } from './target.ts';
import { DeadlinePassed } from './types.ts';

const MEBI = 1024 * 1024;
/** A busy machine is slower. */
const SLACK = 3;

/** What a pod's part of podkeep's data takes on disk, and its largest file by size, in bytes. */
export function usageOf(
  { data }: Target,
  podUid: string,
): { readonly bytes: number; readonly largest: number } {
  let [bytes, largest] = [0, 0];
  for (const found of walk(data)) {
    if (!found.file.includes(podUid)) continue;
    bytes += found.bytes;
    largest = Math.max(largest, found.size);
  }
  return { bytes, largest };
}

/** Resident memory of podkeep, in bytes; 0: unknown. */
export function memoryOf({ pid }: Target): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export interface Peak {
  readonly diskMiB: number;
  readonly largestMiB: number;
  readonly memoryMiB: number;
}

/** The maximum, beyond the amount before, until `isOver` or the time is up. */
export async function peakOf(
  target: Target,
  podUid: string,
  isOver: () => Promise<boolean>,
  seconds: number,
): Promise<Peak> {
  const [disk, memory] = [usageOf(target, podUid).bytes, memoryOf(target)];
  let [diskPeak, largest, memoryPeak] = [disk, 0, memory];
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const usage = usageOf(target, podUid);
    diskPeak = Math.max(diskPeak, usage.bytes);
    largest = Math.max(largest, usage.largest);
    memoryPeak = Math.max(memoryPeak, memoryOf(target));
    if (await isOver()) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const mebi = (bytes: number): number => Math.round(bytes / MEBI);
  return {
    diskMiB: mebi(diskPeak - disk),
    largestMiB: mebi(largest),
    memoryMiB: mebi(memoryPeak - memory),
  };
}

/** Deletes a pod. Throws DeadlinePassed if the pod, or its folder, is still there after a while. */
export async function checkDeletion(
  target: Target,
  { name, uid }: RunningPod,
  seconds: number,
): Promise<void> {
  await target.delete(name);
  const folder = path.join(target.data, 'node/pods', uid);
  try {
    await waitFor({ what: 'its end', deadlineMs: seconds * SLACK * 1000 }, async () =>
      (await target.pod(name)) === undefined && !existsSync(folder) ? true : undefined,
    );
  } catch {
    const remains = await whatRemains(target, name, folder);
    const seen = `${remains} still there ${seconds * SLACK} s after the pod was deleted`;
    throw new DeadlinePassed(`${seen}: ${reasonsFor(target, uid)}`);
  }
}

async function whatRemains(target: Target, name: string, folder: string): Promise<string> {
  const pod = await target.pod(name);
  const statuses = JSON.stringify(pod?.status.containerStatuses?.map(({ state }) => state));
  return pod === undefined ? `${folder} is` : `the pod (${pod.status.phase}, ${statuses}) is`;
}

/** The last lines of podkeep's log about a pod, or about housekeeping. */
function reasonsFor(target: Target, podUid: string): string {
  const lines = target.tail
    .split('\n')
    .filter((line) => line.includes(podUid) || /ousekeeping/.test(line));
  return lines.slice(-4).join(' | ') || 'the log says nothing about it';
}
