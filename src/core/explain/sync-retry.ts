/** When the kubelet retries the failed sync of a pod. Null: not known. */
import { workWait } from '../pod-waits/wait-names.ts';
import { findWait, type CurrentWait } from './current-waits.ts';
import type { PodView } from './pod-view.ts';

export function syncRetry({ waits }: PodView): number | null {
  return findWait(waits, workWait('sync'))?.nextMs ?? null;
}

/** True for the retry of a failed turn, which only repeats what other waits say in detail. */
export function isRetryOfWork({ machine, waitsFor }: CurrentWait): boolean {
  const works = (['sync', 'stop', 'release'] as const).map((work) => workWait(work));
  return works.some((one) => one.machine === machine && one.waitsFor === waitsFor);
}
