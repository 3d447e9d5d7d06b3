/**
 * Keeps one volume of a pod mounted and up to date, from the first try to create it until the pod ends.
 *
 *     wanted ──made──> mounted ──a change, a sync, an old token──> made again, still mounted
 *        └──failed: Event, and retried after a back-off──┘
 *
 * Only one run at a time creates the volume; changes during a run cause one more run. A mounted volume stays
 * mounted if its update fails: the old files are better than none.
 */
import type { Pod } from '../../api/pod.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { LookedUpObject } from '../../ports/api/object-lookup.ts';
import { followClaim, isClaim, type ClaimedVolume } from './persistent-claim.ts';
import { RetryBackoff } from './retry-backoff.ts';
import { fileErrorText, volumeUnprocessed } from './volume-errors.ts';
import { isLive, makeVolume, type MadeVolume } from './volume-maker.ts';
import type { VolumeDeps } from './volume-deps.ts';
import { measureOperation } from './storage-operation.ts';
import { pluginOf } from './volume-plugin.ts';
import type { Volume } from './volume-spec.ts';
import { watchedObjects } from './payload/watched-objects.ts';

/** The least time until the next renewal, so that a token that is already old does not cause endless requests. */
const RENEW_MS_MIN = 10_000;

export class VolumeEntry {
  readonly #deps: VolumeDeps;
  readonly #backoff: RetryBackoff;
  readonly #stop = new AbortController();
  #pod: Pod;
  readonly #volume: Volume;
  #claimed: ClaimedVolume | null = null;
  #made: MadeVolume | null = null;
  #failure: unknown = null;
  #running: Promise<void> | null = null;
  #isStale = false;
  #cancelTimer: Cancel | null = null;
  #unsubscribe: (() => void)[] | null = null;

  constructor(deps: VolumeDeps, pod: Pod, volume: Volume) {
    this.#deps = deps;
    this.#pod = pod;
    this.#volume = volume;
    this.#backoff = new RetryBackoff(deps.clock);
  }

  /** The kubelet's name of the plugin, for metrics. */
  get plugin(): string {
    return pluginOf(this.#volume);
  }

  get made(): MadeVolume | null {
    return this.#made;
  }

  /** The time until the next try; zero: now. */
  get remainingMs(): number {
    return this.#backoff.remainingMs;
  }

  /** The error of the last try. Null: it succeeded, or there was none. */
  get failure(): string | null {
    return this.#failure === null ? null : fileErrorText(this.#failure);
  }

  /** Why the volume could not be processed: its claim is missing, unbound or not usable. */
  get unprocessed(): string | null {
    const error = this.#failure;
    const isOne = error instanceof PodkeepError && error.code === 'VOLUME_UNPROCESSED';
    return isOne ? error.message : null;
  }

  /** For a sync: makes the volume if it is missing or may have changed. Never rejects. */
  sync(pod: Pod, signal: AbortSignal): Promise<void> {
    this.#pod = pod;
    const isNeeded = this.#made === null || isLive(this.#volume);
    if (!isNeeded || (this.#backoff.remainingMs > 0 && this.unprocessed === null)) {
      return Promise.resolve();
    }
    return this.#run(signal);
  }

  /** Stops all updates, and resolves when none is running. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the pod has no volumes any more'));
    this.#cancelTimer?.();
    for (const unsubscribe of this.#unsubscribe ?? []) unsubscribe();
    this.#unsubscribe = [];
    await this.#running;
  }

  /** If a run is under way, waits for it and for one more run after it. */
  #run(signal?: AbortSignal): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    if (this.#running) {
      this.#isStale = true;
      return this.#running;
    }
    const own = this.#stop.signal;
    this.#running = this.#make(signal ? AbortSignal.any([signal, own]) : own).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #make(signal: AbortSignal): Promise<void> {
    do {
      this.#isStale = false;
      try {
        this.#subscribe();
        this.#claimed ??= await this.#claim(signal);
        const request = { pod: this.#pod, volume: this.#volume, claimed: this.#claimed };
        const made = await measureOperation(
          this.#deps,
          { plugin: this.plugin, operation: 'volume_mount' },
          () => makeVolume(this.#deps, request, signal),
        );
        if (!this.#made && made.isExposed) this.#warnOfDisk();
        this.#made = made;
        this.#failure = null;
        this.#backoff.succeeded();
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
        break;
      }
    } while (this.#isStale && !signal.aborted);
    this.#makeAgainLater();
  }

  async #claim(signal: AbortSignal): Promise<ClaimedVolume | null> {
    if (!isClaim(this.#volume)) return null;
    const { claims } = this.#deps;
    if (claims) return followClaim(this.#pod, this.#volume, claims, signal);
    throw volumeUnprocessed({ reason: 'a node without an API server has no claims' });
  }

  #fail(error: unknown): void {
    this.#failure = error;
    this.#backoff.failed();
    if (this.unprocessed !== null) return;
    const { uid = '', name = '', namespace = '' } = this.#pod.metadata;
    const title = JSON.stringify(this.#claimed?.title ?? this.#volume.name);
    const message = `MountVolume.SetUp failed for volume ${title} : ${fileErrorText(error)}`;
    this.#deps.events.record({ uid, name, namespace }, 'Warning', 'FailedMount', message);
  }

  #warnOfDisk(): void {
    const { uid = '', name = '', namespace = '' } = this.#pod.metadata;
    const message =
      `Volume ${JSON.stringify(this.#volume.name)} is on the disk of this node, readable by one user only: ` +
      'there is no file system in memory that podkeep may write.';
    this.#deps.events.record({ uid, name, namespace }, 'Warning', 'SecretsOnDisk', message);
  }

  /** A volume that does not exist yet is retried by the sync that waits for it. */
  #makeAgainLater(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (!this.#made || this.#stop.signal.aborted) return;
    const { clock } = this.#deps;
    const { renewAtMs } = this.#made;
    const delayMs =
      this.#failure !== null
        ? this.#backoff.remainingMs
        : renewAtMs === null
          ? null
          : Math.max(RENEW_MS_MIN, renewAtMs - clock.now() + 1);
    if (delayMs === null) return;
    this.#cancelTimer = clock.after(delayMs, () => void this.#run());
  }

  #subscribe(): void {
    if (this.#unsubscribe) return;
    const { namespace = '' } = this.#pod.metadata;
    const objects = watchedObjects(this.#volume, namespace);
    this.#unsubscribe = objects.flatMap((object) => this.#listenTo(object));
  }

  #listenTo(object: LookedUpObject): readonly (() => void)[] {
    try {
      return [
        this.#deps.objects.subscribe(object, () => {
          if (this.#made) void this.#run();
        }),
      ];
    } catch {
      // The object is not cached. The next sync reads it.
      return [];
    }
  }
}
