/**
 * Decides for the image GC which images are removed, and in which order.
 *
 *     used by a container, dead or alive, or pinned   stays
 *     unused for longer than the maximum age          removed, once podkeep itself has run that long
 *     the disk is fuller than the high threshold      the longest unused are removed, down to the low
 *                                                     threshold; none younger than the minimum age
 *
 * An image counts as used at each listing in which a container uses it. The minimum age protects an image
 * that was just pulled and whose container does not exist yet.
 */
import type { ImageRecord, ImageRecords, ImageSight } from './image-record.ts';

export interface ImagePolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly ageMinMs: number;
  /** 0: no image is too old. */
  readonly ageMaxMs: number;
}

export interface DiskSpace {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

export interface UnusedImage extends ImageRecord {
  readonly ref: string;
}

/** The records after a listing: new images are added, missing ones are forgotten. */
export function rememberImages(
  records: ImageRecords,
  { images, isUsed }: ImageSight,
  nowMs: number,
): ImageRecords {
  return new Map(
    images.map((image) => {
      const { ref, sizeBytes, isPinned } = image;
      const before = records.get(ref);
      return [
        ref,
        {
          firstSeenMs: before?.firstSeenMs ?? nowMs,
          lastUsedMs: isUsed(image) ? nowMs : (before?.lastUsedMs ?? 0),
          sizeBytes,
          isPinned,
        },
      ];
    }),
  );
}

/** The longest unused first; among images that were never used, the one that was detected first. */
export function unusedImages(
  records: ImageRecords,
  { images, isUsed }: ImageSight,
): readonly UnusedImage[] {
  return images
    .filter((image) => !isUsed(image) && !image.isPinned)
    .flatMap(({ ref }) => {
      const record = records.get(ref);
      return record ? [{ ref, ...record }] : [];
    })
    .toSorted((a, b) => a.lastUsedMs - b.lastUsedMs || a.firstSeenMs - b.firstSeenMs);
}

/** Whether the image is removed for its age alone. */
export function isTooOld(
  image: UnusedImage,
  { ageMaxMs }: ImagePolicy,
  nowMs: number,
  watchedSinceMs: number,
): boolean {
  if (ageMaxMs === 0 || nowMs - watchedSinceMs <= ageMaxMs) return false;
  return nowMs - image.lastUsedMs > ageMaxMs;
}

/** Whether the image may be removed to free space. */
export function isOldEnough(image: UnusedImage, { ageMinMs }: ImagePolicy, nowMs: number): boolean {
  return nowMs - image.firstSeenMs >= ageMinMs;
}

/** Zero: there is enough free space. */
export function bytesToFree(space: DiskSpace, policy: ImagePolicy): number {
  if (usedPercent(space) < policy.highThresholdPercent) return 0;
  const { capacityBytes, availableBytes } = space;
  const wanted = Math.trunc((capacityBytes * (100 - policy.lowThresholdPercent)) / 100);
  return wanted - availableBytes;
}

export function usedPercent({ capacityBytes, availableBytes }: DiskSpace): number {
  return 100 - Math.trunc((Math.min(availableBytes, capacityBytes) * 100) / capacityBytes);
}

/** The message for the administrator when no more images can be removed. */
export function diskFullMessage(space: DiskSpace, freedBytes: number): string {
  return (
    `Insufficient free disk space on the node's image filesystem ` +
    `(${usedPercent(space)}% of ${sizeText(space.capacityBytes)} used). ` +
    `Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). ` +
    'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.'
  );
}

function sizeText(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1] ?? ''}`;
}
