/**
 * Lets a static pod wait until an older pod of the same name, which an earlier podkeep process started, has
 * stopped (PW-80).
 *
 *     its manifest changed while podkeep was stopped ──> only the runtime knows the old pod
 *     all sources have reported ──> housekeeping kills the old pod ──> the new one starts
 *
 * While podkeep runs, the pod workers run static pods of one name one after the other. But the workers do not
 * know pods that only the runtime has. Kubernetes' kubelet does not wait: it starts the new pod beside such a
 * pod, so that for a while two pods use the same ports and files.
 *
 * Until all sources have reported, unknown pods are not killed. The missing source may be an API server that
 * the waiting pod itself should run, so this wait is limited.
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
/** The wait is recorded again after this many checks. */
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
      log.info('Static pod is waiting for an older pod with the same full name to terminate', {
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

/** The UID of the older pod. A desired pod of the same name does not count: it may come from another source. */
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
    // Then the runtime cannot start the pod either, and its sync reports the error.
    log.debug('Failed to list the pods of the runtime', { error });
    return null;
  }
}
