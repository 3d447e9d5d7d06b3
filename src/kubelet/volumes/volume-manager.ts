/**
 * Mounts the volumes that the pods of this node need, and unmounts those of pods that have ended (KL-5,
 * KL-13).
 *
 * A sync waits until all volumes that its pod uses are mounted, and fails with the reason after about two
 * minutes, or at once if a claim is not usable. The wait ends at once when the pod has to end (F-21). Failed
 * mounts are retried only while a sync waits for them. Teardown finds volumes on disk, so it also works after
 * a restart of podkeep.
 */
import type { Pod } from '../../api/pod.ts';
import type { VolumeCounts } from '../../ports/observe/storage-observer.ts';
import type { PodVolumes, VolumesWait, WaitingVolume } from '../../ports/pod/pod-volumes.ts';
import { wait, waitFor } from '../waiting/wait.ts';
import {
  namesIn,
  removePodFolder,
  tearDownVolumes,
  volumeFolders,
  type TeardownFailure,
} from './teardown/pod-teardown.ts';
import { mountsIn } from './mounts/mounter.ts';
import { RetryBackoff } from './retry-backoff.ts';
import { VolumeEntry } from './volume-entry.ts';
import { fileErrorText, volumesNotMounted, volumesNotUnmounted } from './volume-errors.ts';
import type { MadeVolume } from './volume-maker.ts';
import type { VolumeDeps } from './volume-deps.ts';
import { usedVolumeNames, volumeSpecOf } from './volume-spec.ts';

type Entries = Map<string, VolumeEntry>;

/** The kubelet's timeout. It differs a little from two minutes, so that it is recognisable in logs. */
const WAIT_MS_MAX = 123_000;
const TOO_LONG = 'context deadline exceeded';

export class VolumeManager implements PodVolumes {
  readonly #deps: VolumeDeps;
  readonly #pods = new Map<string, Entries>();

  constructor(deps: VolumeDeps) {
    this.#deps = deps;
  }

  /** The pod's volumes that exist, by name. */
  mounted(podUid: string): ReadonlyMap<string, MadeVolume> {
    const entries = this.#pods.get(podUid) ?? new Map<string, VolumeEntry>();
    return new Map(
      [...entries].flatMap(([name, { made }]) => (made ? [[name, made] as const] : [])),
    );
  }

  /** The number of volumes by the name of their plugin, for metrics. */
  counts(): ReadonlyMap<string, VolumeCounts> {
    const counts = new Map<string, VolumeCounts>();
    for (const { plugin, made } of [...this.#pods.values()].flatMap((each) => [...each.values()])) {
      const { desired, actual } = counts.get(plugin) ?? { desired: 0, actual: 0 };
      counts.set(plugin, { desired: desired + 1, actual: actual + (made ? 1 : 0) });
    }
    return counts;
  }

  async waitForMounts(pod: Pod, signal: AbortSignal, waiting?: VolumesWait): Promise<void> {
    signal.throwIfAborted();
    const names = usedVolumeNames(pod);
    if (names.length === 0) return;
    const { clock } = this.#deps;
    const entries = this.#entriesOf(pod, names);
    const deadlineMs = clock.monotonic() + WAIT_MS_MAX;
    let due = [...entries.values()];
    for (;;) {
      const tries = due.map((entry) => entry.sync(pod, signal));
      await waitFor(clock, Promise.all(tries), deadlineMs - clock.monotonic(), signal);
      const unmounted = names.filter((name) => !entries.get(name)?.made);
      waiting?.(unmounted.map((name) => this.#waitOf(name, entries.get(name))));
      if (unmounted.length === 0) return;
      this.#throwUnprocessed(entries, unmounted);
      const leftMs = deadlineMs - clock.monotonic();
      if (leftMs <= 0) throw volumesNotMounted({ unmounted, unprocessed: [], reason: TOO_LONG });
      const nextMs = Math.min(...unmounted.map((name) => entries.get(name)?.remainingMs ?? 0));
      await wait(clock, Math.max(1, Math.min(leftMs, nextMs)), signal);
      due = due.filter(({ made }) => made === null);
    }
  }

  async waitForUnmount(pod: Pod, signal: AbortSignal, waiting?: VolumesWait): Promise<void> {
    signal.throwIfAborted();
    const { uid = '' } = pod.metadata;
    const { clock, tokens } = this.#deps;
    const deadlineMs = clock.monotonic() + WAIT_MS_MAX;
    const backoff = new RetryBackoff(clock);
    await waitFor(clock, this.#stopPod(uid), WAIT_MS_MAX, signal);
    for (;;) {
      const failures = await tearDownVolumes(this.#deps, uid);
      if (failures.length === 0) break;
      signal.throwIfAborted();
      backoff.failed();
      this.#notify(pod, failures);
      const nextAtMs = clock.now() + backoff.remainingMs;
      waiting?.(
        failures.map(({ volume, error }) => {
          return { name: volume, why: fileErrorText(error), nextAtMs };
        }),
      );
      const mounted = [...new Set(failures.map(({ volume }) => volume))].sort();
      const leftMs = deadlineMs - clock.monotonic();
      if (leftMs <= 0) throw volumesNotUnmounted({ mounted, reason: TOO_LONG });
      await wait(clock, Math.min(leftMs, backoff.remainingMs), signal);
    }
    waiting?.([]);
    tokens.forget(uid);
  }

  async volumesExist(podUid: string): Promise<boolean> {
    if (this.mounted(podUid).size > 0) return true;
    const { layout } = this.#deps;
    if (volumeFolders(layout, podUid).length > 0) return true;
    return namesIn(layout.subPathsFolder(podUid)).length > 0;
  }

  /** Removes the folders of pods that are no longer on this node (KL-64, step 9). */
  async removeOrphans(keep: ReadonlySet<string>): Promise<void> {
    const { layout, log } = this.#deps;
    for (const uid of namesIn(layout.podsFolder)) {
      if (keep.has(uid) || this.#pods.has(uid)) continue;
      try {
        const [failure] = await tearDownVolumes(this.#deps, uid);
        if (failure) throw failure.error;
        await removePodFolder(this.#deps, uid);
      } catch (error) {
        log.warn('Failed to remove orphaned pod dir', { uid, error });
      }
    }
  }

  /**
   * Unmounts all volumes and removes no folder: volumes in memory are lost, as at a shutdown of the machine,
   * and the next podkeep process creates them again. To be called only when no container runs any more.
   */
  async unmountAll(): Promise<void> {
    const { layout, mounter, memory, log } = this.#deps;
    memory.clear();
    for (const { folder } of await mountsIn(mounter, layout.podsFolder)) {
      // A disk that the operator has mounted there for all pods stays.
      if (folder === layout.podsFolder) continue;
      await mounter.unmount(folder).catch((error: unknown) => {
        log.warn('Failed to unmount volume', { folder, error });
      });
    }
  }

  /** Stops all updates; the volumes stay as they are. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pods.keys()].map((uid) => this.#stopPod(uid)));
    this.#deps.memory.close();
  }

  #waitOf(name: string, entry: VolumeEntry | undefined): WaitingVolume {
    const nextAtMs = this.#deps.clock.now() + (entry?.remainingMs ?? 0);
    return { name, why: entry?.failure ?? 'it is being made', nextAtMs };
  }

  #entriesOf(pod: Pod, names: readonly string[]): Entries {
    const { uid = '' } = pod.metadata;
    const entries: Entries = this.#pods.get(uid) ?? new Map<string, VolumeEntry>();
    this.#pods.set(uid, entries);
    const volumes = new Map(volumeSpecOf(pod).volumes?.map((volume) => [volume.name, volume]));
    for (const name of names) {
      const volume = volumes.get(name);
      if (volume && !entries.has(name)) {
        entries.set(name, new VolumeEntry(this.#deps, pod, volume));
      }
    }
    return entries;
  }

  /** Does not wait for a claim that is not usable: a user has to fix it. */
  #throwUnprocessed(entries: Entries, unmounted: readonly string[]): void {
    const reasons = new Map(
      unmounted.flatMap((name) => {
        const entry = entries.get(name);
        const reason = entry ? entry.unprocessed : `the pod has no volume ${JSON.stringify(name)}`;
        return reason === null ? [] : [[name, reason] as const];
      }),
    );
    if (reasons.size === 0) return;
    const unprocessed = [...reasons.keys()];
    throw volumesNotMounted({ unmounted, unprocessed, reason: [...reasons.values()].join('; ') });
  }

  async #stopPod(uid: string): Promise<void> {
    const entries = [...(this.#pods.get(uid)?.values() ?? [])];
    await Promise.all(entries.map((entry) => entry.stop()));
    this.#pods.delete(uid);
  }

  /** Records an Event when a volume keeps a pod from ending (F-21). */
  #notify({ metadata }: Pod, failures: readonly TeardownFailure[]): void {
    const { uid = '', name = '', namespace = '' } = metadata;
    for (const { volume, error } of failures) {
      const message =
        `UnmountVolume.TearDown failed for volume ${JSON.stringify(volume)} : ` +
        fileErrorText(error);
      this.#deps.events.record({ uid, name, namespace }, 'Warning', 'FailedUnMount', message);
    }
  }
}
