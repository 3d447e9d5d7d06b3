/**
 * The volumes of all pods of this node: what pods want against what is there (KL-5, KL-13).
 *
 * A sync waits until all that its pod mounts is there, two minutes at most, and tells why it is not. The
 * wait ends at once when the pod has to go (F-21), and nothing is tried any more for a pod that nobody
 * waits for. What is taken away is found on the disk, so a restart in between changes nothing.
 */
import type { Pod } from '../../api/pod.ts';
import type { PodVolumes } from '../../ports/pod-volumes.ts';
import { wait, waitFor } from '../pod-runner/wait.ts';
import {
  namesIn,
  removePodFolder,
  tearDownVolumes,
  volumeFolders,
  type TeardownFailure,
} from './pod-teardown.ts';
import { mountsIn } from './mounter.ts';
import { RetryBackoff } from './retry-backoff.ts';
import { VolumeEntry } from './volume-entry.ts';
import { fileErrorText, volumesNotMounted, volumesNotUnmounted } from './volume-errors.ts';
import type { MadeVolume } from './volume-maker.ts';
import type { VolumeRoom } from './volume-room.ts';
import { usedVolumeNames, volumeSpecOf } from './volume-spec.ts';

type Entries = Map<string, VolumeEntry>;

/** A little off two minutes, so that people recognise it. */
const WAIT_MS_MAX = 123_000;
const TOO_LONG = 'context deadline exceeded';

export class VolumeManager implements PodVolumes {
  readonly #room: VolumeRoom;
  readonly #pods = new Map<string, Entries>();

  constructor(room: VolumeRoom) {
    this.#room = room;
  }

  /** What is there of the pod's volumes, by name. */
  mounted(podUid: string): ReadonlyMap<string, MadeVolume> {
    const entries = this.#pods.get(podUid) ?? new Map<string, VolumeEntry>();
    return new Map(
      [...entries].flatMap(([name, { made }]) => (made ? [[name, made] as const] : [])),
    );
  }

  async waitForMounts(pod: Pod, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const names = usedVolumeNames(pod);
    if (names.length === 0) return;
    const { clock } = this.#room;
    const entries = this.#entriesOf(pod, names);
    const deadlineMs = clock.monotonic() + WAIT_MS_MAX;
    let due = [...entries.values()];
    for (;;) {
      const tries = due.map((entry) => entry.sync(pod, signal));
      await waitFor(clock, Promise.all(tries), deadlineMs - clock.monotonic(), signal);
      const unmounted = names.filter((name) => !entries.get(name)?.made);
      if (unmounted.length === 0) return;
      this.#throwUnprocessed(entries, unmounted);
      const leftMs = deadlineMs - clock.monotonic();
      if (leftMs <= 0) throw volumesNotMounted({ unmounted, unprocessed: [], reason: TOO_LONG });
      const nextMs = Math.min(...unmounted.map((name) => entries.get(name)?.remainingMs ?? 0));
      await wait(clock, Math.max(1, Math.min(leftMs, nextMs)), signal);
      due = due.filter(({ made }) => made === null);
    }
  }

  async waitForUnmount(pod: Pod, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid = '' } = pod.metadata;
    const { clock, tokens } = this.#room;
    const deadlineMs = clock.monotonic() + WAIT_MS_MAX;
    const backoff = new RetryBackoff(clock);
    await waitFor(clock, this.#stopPod(uid), WAIT_MS_MAX, signal);
    for (;;) {
      const failures = await tearDownVolumes(this.#room, uid);
      if (failures.length === 0) break;
      signal.throwIfAborted();
      backoff.failed();
      this.#tell(pod, failures);
      const mounted = [...new Set(failures.map(({ volume }) => volume))].sort();
      const leftMs = deadlineMs - clock.monotonic();
      if (leftMs <= 0) throw volumesNotUnmounted({ mounted, reason: TOO_LONG });
      await wait(clock, Math.min(leftMs, backoff.remainingMs), signal);
    }
    tokens.forget(uid);
  }

  async volumesExist(podUid: string): Promise<boolean> {
    if (this.mounted(podUid).size > 0) return true;
    const { layout } = this.#room;
    if (volumeFolders(layout, podUid).length > 0) return true;
    return namesIn(layout.subPathsFolder(podUid)).length > 0;
  }

  /** Removes what pods have left that this node does not have any more (KL-64, step 9). */
  async removeOrphans(keep: ReadonlySet<string>): Promise<void> {
    const { layout, log } = this.#room;
    for (const uid of namesIn(layout.podsFolder)) {
      if (keep.has(uid) || this.#pods.has(uid)) continue;
      try {
        const [failure] = await tearDownVolumes(this.#room, uid);
        if (failure) throw failure.error;
        await removePodFolder(this.#room, uid);
      } catch (error) {
        log.warn('the folder of a pod that is gone could not be removed', { uid, error });
      }
    }
  }

  /**
   * Unmounts everything, and removes nothing: what is in memory goes, as with a machine that is
   * switched off, and the next podkeep makes it again. Only when no container runs any more.
   */
  async unmountAll(): Promise<void> {
    const { layout, mounter, log } = this.#room;
    for (const { folder } of await mountsIn(mounter, layout.podsFolder)) {
      // A disk that somebody has put there for all pods is theirs.
      if (folder === layout.podsFolder) continue;
      await mounter.unmount(folder).catch((error: unknown) => {
        log.warn('a volume could not be unmounted', { folder, error });
      });
    }
  }

  /** Nothing is brought up to date any more; everything stays as it is. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pods.keys()].map((uid) => this.#stopPod(uid)));
  }

  #entriesOf(pod: Pod, names: readonly string[]): Entries {
    const { uid = '' } = pod.metadata;
    const entries: Entries = this.#pods.get(uid) ?? new Map<string, VolumeEntry>();
    this.#pods.set(uid, entries);
    const volumes = new Map(volumeSpecOf(pod).volumes?.map((volume) => [volume.name, volume]));
    for (const name of names) {
      const volume = volumes.get(name);
      if (volume && !entries.has(name)) {
        entries.set(name, new VolumeEntry(this.#room, pod, volume));
      }
    }
    return entries;
  }

  /** A claim that leads nowhere is not waited for: somebody has to do something about it. */
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

  /** A pod that cannot end because of a volume says so (F-21). */
  #tell({ metadata }: Pod, failures: readonly TeardownFailure[]): void {
    const { uid = '', name = '', namespace = '' } = metadata;
    for (const { volume, error } of failures) {
      const message =
        `UnmountVolume.TearDown failed for volume ${JSON.stringify(volume)} : ` +
        fileErrorText(error);
      this.#room.events.record({ uid, name, namespace }, 'Warning', 'FailedUnMount', message);
    }
  }
}
