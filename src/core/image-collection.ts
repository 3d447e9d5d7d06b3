/**
 * Which images may go, and in which order.
 *
 *     used by a container, dead or alive, or pinned   stays
 *     unused for longer than the maximum age          goes, once podkeep has watched so long itself
 *     the disk is fuller than the high threshold      the longest unused ones go, until it is as empty
 *                                                     as the low one; none younger than the minimum age
 *
 * An image counts as used when somebody looked and a container had it. One that was just pulled waits for
 * its container: that is what the minimum age is for.
 */
import type { ImageRecord, ImageRecords, ImageSight } from './image-record.ts';

export interface ImagePolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly ageMinMs: number;
  /** 0: no image is too old. */
  readonly ageMaxMs: number;
}

export interface DiskRoom {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

export interface UnusedImage extends ImageRecord {
  readonly ref: string;
}

/** What is known after a look: new images are seen for the first time, gone ones are forgotten. */
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

/** The longest unused first; of those never used, the one that was here first. */
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

/** Whether it goes for its age alone. */
export function isTooOld(
  image: UnusedImage,
  { ageMaxMs }: ImagePolicy,
  nowMs: number,
  watchedSinceMs: number,
): boolean {
  if (ageMaxMs === 0 || nowMs - watchedSinceMs <= ageMaxMs) return false;
  return nowMs - image.lastUsedMs > ageMaxMs;
}

/** Whether it may go to make room. */
export function isOldEnough(image: UnusedImage, { ageMinMs }: ImagePolicy, nowMs: number): boolean {
  return nowMs - image.firstSeenMs >= ageMinMs;
}

/** Zero: there is room enough. */
export function bytesToFree(room: DiskRoom, policy: ImagePolicy): number {
  if (usedPercent(room) < policy.highThresholdPercent) return 0;
  const { capacityBytes, availableBytes } = room;
  const wanted = Math.trunc((capacityBytes * (100 - policy.lowThresholdPercent)) / 100);
  return wanted - availableBytes;
}

export function usedPercent({ capacityBytes, availableBytes }: DiskRoom): number {
  return 100 - Math.trunc((Math.min(availableBytes, capacityBytes) * 100) / capacityBytes);
}

/** What whoever runs the node is told when nothing more can go. */
export function diskFullWords(room: DiskRoom, freedBytes: number): string {
  return (
    `Insufficient free disk space on the node's image filesystem ` +
    `(${usedPercent(room)}% of ${sizeText(room.capacityBytes)} used). ` +
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
