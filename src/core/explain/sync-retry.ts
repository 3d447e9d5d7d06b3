/** When the kubelet syncs a pod again whose last sync failed. Null: it is not known. */
import { workWait } from '../pod-waits/wait-names.ts';
import { findWait, type CurrentWait } from './current-waits.ts';
import type { PodView } from './pod-view.ts';

export function syncRetry({ waits }: PodView): number | null {
  return findWait(waits, workWait('sync'))?.nextMs ?? null;
}

/** A failed sync repeats what other waits say better. */
export function isRetryOfWork({ machine, waitsFor }: CurrentWait): boolean {
  const works = (['sync', 'stop', 'release'] as const).map((work) => workWait(work));
  return works.some((one) => one.machine === machine && one.waitsFor === waitsFor);
}
