/** Pulls and stores images. For a runtime without images: resolves image names. */

export interface ImageStore {
  /** Null: the image is not here. Throws INVALID_IMAGE_NAME for an invalid name. */
  find(image: string, use?: ImageUse): Promise<Image | null>;
  /** Returns the reference by which containers are created from it. */
  pull(
    image: string,
    credentials: Credentials | null,
    signal: AbortSignal,
    use?: ImageUse,
  ): Promise<string>;
  /** Whether there is no registry behind the name, so that it cannot be pulled. Absent: never. */
  isLocal?(image: string): boolean;
  list(): Promise<readonly Image[]>;
  remove(ref: string): Promise<void>;
  /** Disk space of the images. Null: the store does not know. */
  usage(): Promise<ImageUsage | null>;
}

/** What is known about the container that will be created from an image. */
export interface ImageUse {
  /** Its spec has a command. A runtime without images may then need none. */
  readonly hasCommand: boolean;
}

export interface Image {
  /** What containers are created from, and the imageID in a status. */
  readonly ref: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
  /** The user of the image: a number, a name, or neither. */
  readonly uid?: number;
  readonly userName?: string;
  readonly isPinned: boolean;
}

export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
  readonly serverAddress?: string;
  /** The secret that it comes from. Absent: every pod of the node may use it. */
  readonly source?: CredentialSource;
}

export interface CredentialSource {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ImageUsage {
  readonly mountpoint: string;
  /** Where the writable layers of containers are. Absent: with the images. */
  readonly containerMountpoint?: string;
  readonly usedBytes: number;
  readonly usedInodes: number;
}
