/** Reports to the model which work begins and ends, and otherwise leaves the recipes as they are. */
import type { PodSync } from '../../src/ports/pod/pod-sync.ts';
import type { Work, WorkModel } from './work-model.ts';

export function watchSync(recipes: PodSync, model: WorkModel): PodSync {
  const watched = async <Result>(
    uid: string,
    work: Work,
    graceSeconds: number | null,
    run: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> => {
    model.began(uid, { work, graceSeconds, signal });
    try {
      const result = await run();
      model.ended(uid, work, 'is done');
      return result;
    } catch (error) {
      model.ended(uid, work, signal.aborted ? 'was cancelled' : `failed: ${String(error)}`);
      throw error;
    }
  };
  return {
    syncPod: (request, signal) => {
      model.actsOn(uidOf(request), request.pod);
      return watched(uidOf(request), 'sync', null, () => recipes.syncPod(request, signal), signal);
    },
    syncTerminatingPod: (request, signal) =>
      watched(
        uidOf(request),
        'stop',
        request.graceSeconds,
        () => recipes.syncTerminatingPod(request, signal),
        signal,
      ),
    syncTerminatingRuntimePod: (pod, signal) =>
      watched(pod.uid, 'stop', null, () => recipes.syncTerminatingRuntimePod(pod, signal), signal),
    syncTerminatedPod: (request, signal) =>
      watched(
        uidOf(request),
        'release',
        null,
        () => recipes.syncTerminatedPod(request, signal),
        signal,
      ),
  };
}

function uidOf({
  pod,
}: {
  readonly pod: { readonly metadata: { readonly uid?: string } };
}): string {
  return pod.metadata.uid ?? '';
}
