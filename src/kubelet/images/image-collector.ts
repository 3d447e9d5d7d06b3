/**
 * Image GC: removes unused images when the disk fills up, or when they are too old.
 *
 *     every 5 min   list images and containers ──> too old: removed
 *                   measure the disk ──> above the high threshold: the longest unused images are removed,
 *                                          until the disk is below the low threshold
 *     the eviction manager asks   every unused image is removed
 *
 * Not every runtime reports the sandbox image, so images named `pause` are never removed. Failures are
 * recorded as Events on the node from the second failure on, because the first collection may come before the
 * runtime can measure its disk.
 */
import { statfs } from 'node:fs/promises';
import {
  bytesToFree,
  diskFullMessage,
  isOldEnough,
  isTooOld,
  rememberImages,
  unusedImages,
  type DiskSpace,
  type ImagePolicy,
  type UnusedImage,
} from '../../core/images/image-collection.ts';
import type { ImageRecords, ImageSight, SeenImage } from '../../core/images/image-record.ts';
import { isSameImage } from '../../api/values/image-name.ts';
import { defineError } from '../../lib/errors.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { NodeEvents } from '../node/node-events.ts';

export interface ImageCollectorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly runtime: Pick<PodRuntime, 'list' | 'images'>;
  readonly policy: ImagePolicy;
  /** Names of the images that pods of this node mount as volumes. */
  readonly volumeImages?: (() => readonly string[]) | undefined;
  readonly events?: NodeEvents | undefined;
  /** Measures the disk that a folder is on; absent: with statfs. */
  readonly measure?: (folder: string) => Promise<DiskSpace>;
  /** Called after a collection with the images that are left. */
  readonly collected?: ((refs: ReadonlySet<string>) => Promise<void>) | undefined;
}

export const imagesNotFreed = defineError<{ reason: string }>({
  code: 'IMAGES_NOT_FREED',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Podkeep retries every five minutes. Find out what fills the image filesystem.',
});

const PERIOD_MS = 300_000;
/** A threshold of 100 % means that images are never removed because of a full disk. */
const NEVER_FULL_PERCENT = 100;

export class ImageCollector {
  readonly #options: ImageCollectorOptions;
  readonly #watchedSinceMs: number;
  #records: ImageRecords = new Map();
  #hasFailed = false;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(options: ImageCollectorOptions) {
    this.#options = options;
    this.#watchedSinceMs = options.clock.now();
  }

  start(): void {
    const { policy } = this.#options;
    if (policy.highThresholdPercent === NEVER_FULL_PERCENT && policy.ageMaxMs === 0) return;
    this.#turn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** One collection. Rejects with IMAGES_NOT_FREED, or with the runtime's error. */
  async collect(): Promise<void> {
    const { clock, policy, runtime, measure = measureDisk, events } = this.#options;
    const nowMs = clock.now();
    const sight = await this.#look(nowMs);
    const unused = unusedImages(this.#records, sight);
    const old = unused.filter((each) => isTooOld(each, policy, nowMs, this.#watchedSinceMs));
    await this.#removeAll(old, Number.POSITIVE_INFINITY);
    const usage = await runtime.images.usage();
    if (usage === null) return;
    const space = await measure(usage.mountpoint);
    if (space.capacityBytes === 0) {
      const reason = 'invalid capacity 0 on image filesystem';
      events?.recordNode('Warning', 'InvalidDiskCapacity', reason);
      throw imagesNotFreed({ reason });
    }
    const wanted = bytesToFree(space, policy);
    if (wanted <= 0) return;
    const rest = unused.filter((each) => !old.includes(each) && isOldEnough(each, policy, nowMs));
    const freed = await this.#removeAll(rest, wanted);
    if (freed >= wanted) return;
    const reason = diskFullMessage(space, freed);
    events?.recordNode('Warning', 'FreeDiskSpaceFailed', reason);
    throw imagesNotFreed({ reason });
  }

  /**
   * The disk is short: removes all unused images, except those younger than the minimum age. Rejects with
   * IMAGES_NOT_FREED, or with the runtime's error.
   */
  async deleteUnused(): Promise<void> {
    const { clock, policy, log } = this.#options;
    const nowMs = clock.now();
    log.info('Attempting to delete unused images');
    const sight = await this.#look(nowMs);
    const unused = unusedImages(this.#records, sight);
    const removable = unused.filter((each) => isOldEnough(each, policy, nowMs));
    await this.#removeAll(removable, Number.POSITIVE_INFINITY);
  }

  #turn(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(PERIOD_MS, () => {
      void this.collect()
        .then(() => (this.#hasFailed = false))
        .catch((error: unknown) => this.#failed(error))
        .finally(() => {
          if (!this.#isStopped) this.#turn();
        });
    });
  }

  #failed(error: unknown): void {
    const { log, events } = this.#options;
    const message = error instanceof Error ? error.message : String(error);
    log.warn('Image garbage collection failed', { error });
    if (this.#hasFailed) events?.recordNode('Warning', 'ImageGCFailed', message);
    this.#hasFailed = true;
  }

  async #look(nowMs: number): Promise<ImageSight> {
    const { runtime } = this.#options;
    const [images, pods] = await Promise.all([runtime.images.list(), runtime.list()]);
    const used = new Set(
      pods.flatMap(({ pod }) => pod.containers.flatMap((each) => [each.imageRef, each.image])),
    );
    const mounted = this.#options.volumeImages?.() ?? [];
    const isMounted = (name: string): boolean =>
      mounted.some((each) => isSameImage(each, name) === true);
    const isUsed = ({ ref, names }: SeenImage): boolean =>
      used.has(ref) ||
      names.some((name) => used.has(name) || isSandboxImage(name) || isMounted(name));
    const sight = { images, isUsed };
    this.#records = rememberImages(this.#records, sight, nowMs);
    return sight;
  }

  /** Returns the freed bytes. Failures are thrown together, after all images were tried. */
  async #removeAll(images: readonly UnusedImage[], wantedBytes: number): Promise<number> {
    const { runtime, log, collected } = this.#options;
    const errors: unknown[] = [];
    const left = new Map(this.#records);
    let freedBytes = 0;
    for (const { ref, sizeBytes } of images) {
      if (freedBytes >= wantedBytes) break;
      log.info('Removing image to free bytes', { image: ref, bytes: sizeBytes });
      try {
        await runtime.images.remove(ref);
        left.delete(ref);
        freedBytes += sizeBytes;
      } catch (error) {
        errors.push(error);
      }
    }
    this.#records = left;
    if (images.length > 0) await collected?.(new Set(left.keys()));
    if (errors.length === 0) return freedBytes;
    const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error)));
    const wish = Number.isFinite(wantedBytes) ? `${wantedBytes} bytes` : 'old images';
    const reason =
      `wanted to free ${wish}, but freed ${freedBytes} bytes space with errors in image ` +
      `deletion: ${reasons.join(', ')}`;
    throw imagesNotFreed({ reason }, errors[0]);
  }
}

function isSandboxImage(name: string): boolean {
  return /(?:^|\/)pause(?:[:@]|$)/.test(name);
}

async function measureDisk(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}
