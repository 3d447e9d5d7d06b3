/**
 * One volume of a pod, from the first try to make it to the pod's end.
 *
 *     wanted ──made──> there ──a change, a sync, a token grows old──> made anew, still there
 *        └──failed: told, and tried again after a while──┘
 *
 * It is made once at a time. News that come while it is being made make it once more. A volume that is
 * there stays there when it cannot be brought up to date: its old files are better than none.
 */
import type { Pod } from '../../api/pod.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { LookedUpObject } from '../../ports/object-lookup.ts';
import { followClaim, isClaim, type ClaimedVolume } from './persistent-claim.ts';
import { RetryBackoff } from './retry-backoff.ts';
import { fileErrorText, volumeUnprocessed } from './volume-errors.ts';
import { isLive, makeVolume, type MadeVolume } from './volume-maker.ts';
import type { VolumeRoom } from './volume-room.ts';
import type { Volume } from './volume-spec.ts';
import { watchedObjects } from './watched-objects.ts';

/** A token that is old when it comes does not make us ask without end. */
const RENEW_MS_MIN = 10_000;

export class VolumeEntry {
  readonly #room: VolumeRoom;
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

  constructor(room: VolumeRoom, pod: Pod, volume: Volume) {
    this.#room = room;
    this.#pod = pod;
    this.#volume = volume;
    this.#backoff = new RetryBackoff(room.clock);
  }

  get made(): MadeVolume | null {
    return this.#made;
  }

  /** How long until the next try; zero: now. */
  get remainingMs(): number {
    return this.#backoff.remainingMs;
  }

  /** Why the volume cannot even be looked for: a claim that leads nowhere. */
  get unprocessed(): string | null {
    const error = this.#failure;
    const isOne = error instanceof PodkeepError && error.code === 'VOLUME_UNPROCESSED';
    return isOne ? error.message : null;
  }

  /** For a sync: what is not there, or may have changed, is made. Never rejects. */
  sync(pod: Pod, signal: AbortSignal): Promise<void> {
    this.#pod = pod;
    const isNeeded = this.#made === null || isLive(this.#volume);
    if (!isNeeded || (this.#backoff.remainingMs > 0 && this.unprocessed === null)) {
      return Promise.resolve();
    }
    return this.#run(signal);
  }

  /** Ends all that goes on by itself, and resolves when nothing does any more. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the pod has no volumes any more'));
    this.#cancelTimer?.();
    for (const unsubscribe of this.#unsubscribe ?? []) unsubscribe();
    this.#unsubscribe = [];
    await this.#running;
  }

  /** Whoever comes while it is being made waits for the end of that, and of the time after. */
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
        this.#made = await makeVolume(this.#room, request, signal);
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
    const { claims } = this.#room;
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
    this.#room.events.record({ uid, name, namespace }, 'Warning', 'FailedMount', message);
  }

  /** A volume that is not there yet is tried by whoever waits for it. */
  #makeAgainLater(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (!this.#made || this.#stop.signal.aborted) return;
    const { clock } = this.#room;
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
        this.#room.objects.subscribe(object, () => {
          if (this.#made) void this.#run();
        }),
      ];
    } catch {
      // Nobody keeps the object at hand. The next sync looks for itself.
      return [];
    }
  }
}
