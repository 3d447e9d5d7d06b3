/**
 * A static pod waits for a pod of its name that an earlier podkeep started (PW-80).
 *
 *     its manifest changed while podkeep was away ──> only the runtime knows the old pod
 *     all sources have reported ──> housekeeping ends it ──> the new one starts
 *
 * While podkeep runs, the pod workers run static pods of one name one after the other. They do not know
 * pods that only the runtime has, and the kubelet starts the new pod beside them: for a while two pods have
 * the same ports and files.
 *
 * Until all sources have reported, no pod is killed for being unknown, and the missing source may be an API
 * server that the waiting pod is to run: so that wait has a limit.
 */
import type { Pod } from '../../api/pod.ts';
import { isStaticPod } from '../../core/pod/pod-facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodLookup } from '../../ports/pod/pod-lookup.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { staticPodWait, type WaitName } from '../../core/pod-waits/wait-names.ts';
import type { PodWaits } from '../waiting/pod-waits.ts';
import { wait } from '../waiting/wait.ts';
import { isRunning } from './housekeeping.ts';

export interface PredecessorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list'>;
  readonly pods: PodLookup;
  readonly areSourcesReady: () => boolean;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

const LOOK_MS = 200;
const SILENCE_MS_MAX = 10_000;
/** The wait is recorded again after this many looks. */
const LOOKS_PER_RECORD = 50;

/** Resolves when the pod may start. Rejects with the signal's reason. */
export async function predecessorEnded(
  deps: PredecessorDeps,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  if (!isStaticPod(pod)) return;
  const { clock, log, pods, areSourcesReady } = deps;
  const { uid = '', name = '', namespace = '' } = pod.metadata;
  const sinceMs = clock.monotonic();
  const reference = { uid, name, namespace };
  let recorded: WaitName | null = null;
  const end = (): void => void (recorded && deps.waits?.over(reference, recorded));
  for (let looks = 0; ; looks++) {
    const other = await findPredecessor(deps, pod);
    if (other === null || !pods.find(uid)) return end();
    if (!areSourcesReady() && clock.monotonic() - sinceMs >= SILENCE_MS_MAX) return end();
    if (!recorded)
      log.info('static pod is waiting for an older pod with the same full name to terminate', {
        name,
        namespace,
        other,
      });
    recorded = staticPodWait(other);
    if (looks % LOOKS_PER_RECORD === 0) {
      const nextAtMs = clock.now() + LOOK_MS;
      deps.waits?.wait(reference, recorded, { why: 'it still runs', nextAtMs });
    }
    await wait(clock, LOOK_MS, signal);
  }
}

/** Its UID. A desired pod is no predecessor: it may have the same name, from another source. */
async function findPredecessor(deps: PredecessorDeps, { metadata }: Pod): Promise<string | null> {
  const { runtime, pods, log } = deps;
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
    // Then the runtime cannot start the pod either, and its sync reports that.
    log.debug('failed to list the pods of the runtime', { error });
    return null;
  }
}
