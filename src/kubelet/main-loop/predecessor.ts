/**
 * A static pod waits for the one of its name that runs since before this podkeep (PW-80).
 *
 *     its manifest changed while podkeep was away ──> only the runtime knows the old pod
 *     all sources have spoken ──> housekeeping ends it ──> the new one begins
 *
 * In one life of podkeep the workers keep static pods of a name apart. Pods that only the runtime knows
 * stand in no such line, and the kubelet starts the new one beside them: for a while two have the same
 * ports and files.
 *
 * Until all sources have spoken nobody is ended for being unknown, and one of them may be an API server
 * that the waiting pod is to run: that is not waited for long.
 */
import type { Pod } from '../../api/pod.ts';
import { isStaticPod } from '../../core/pod-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodLookup } from '../../ports/pod-lookup.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { wait } from '../pod-runner/wait.ts';
import { isRunning } from './housekeeping.ts';

export interface PredecessorRoom {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list'>;
  readonly pods: PodLookup;
  readonly areSourcesReady: () => boolean;
}

const LOOK_MS = 200;
const SILENCE_MS_MAX = 10_000;

/** Resolves when the pod may begin. Rejects with the signal's reason. */
export async function predecessorEnded(
  room: PredecessorRoom,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  if (!isStaticPod(pod)) return;
  const { clock, log, pods, areSourcesReady } = room;
  const { uid = '', name = '', namespace = '' } = pod.metadata;
  const sinceMs = clock.monotonic();
  let hasTold = false;
  for (;;) {
    const other = await findPredecessor(room, pod);
    if (other === null || !pods.find(uid)) return;
    if (!areSourcesReady() && clock.monotonic() - sinceMs >= SILENCE_MS_MAX) return;
    if (!hasTold) log.info('a static pod waits for the one before it', { name, namespace, other });
    hasTold = true;
    await wait(clock, LOOK_MS, signal);
  }
}

/** Its UID. A pod that somebody wants is none: it may have the same name, from another source. */
async function findPredecessor(room: PredecessorRoom, { metadata }: Pod): Promise<string | null> {
  const { runtime, pods, log } = room;
  try {
    const listed = await runtime.list();
    const other = listed.find(
      (entry) =>
        entry.name === metadata.name &&
        entry.namespace === metadata.namespace &&
        !pods.find(entry.uid) &&
        isRunning(entry),
    );
    return other?.uid ?? null;
  } catch (error) {
    // Then it can start nothing either, and the sync says so.
    log.debug('the runtime could not be asked for other pods of a name', { error });
    return null;
  }
}
