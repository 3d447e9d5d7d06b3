/** The record that the image GC keeps of each image on this node, and the result of listing all images. */
export interface ImageRecord {
  readonly firstSeenMs: number;
  /** 0: no container was ever seen using the image. */
  readonly lastUsedMs: number;
  readonly sizeBytes: number;
  /** The runtime needs it, even if no container does. */
  readonly isPinned: boolean;
}

/** By the reference of the image. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

export interface SeenImage {
  readonly ref: string;
  readonly sizeBytes: number;
  readonly isPinned: boolean;
  readonly names: readonly string[];
}

export interface ImageSight {
  readonly images: readonly SeenImage[];
  readonly isUsed: (image: SeenImage) => boolean;
}
