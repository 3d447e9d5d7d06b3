/** Where images come from and are kept. For a runtime without images: what a name stands for. */

export interface ImageStore {
  /** Null: it is not here. Throws INVALID_IMAGE_NAME for what can be no name. */
  find(image: string, use?: ImageUse): Promise<Image | null>;
  /** Returns the reference by which containers are made from it. */
  pull(
    image: string,
    credentials: Credentials | null,
    signal: AbortSignal,
    use?: ImageUse,
  ): Promise<string>;
  list(): Promise<readonly Image[]>;
  remove(ref: string): Promise<void>;
  /** Space that images take; null: the store does not know. */
  usage(): Promise<ImageUsage | null>;
}

/** What is known about the container that is to be made from an image. */
export interface ImageUse {
  /** It names its own command. A runtime that has no images may then need none. */
  readonly hasCommand: boolean;
}

export interface Image {
  /** What containers are made from, and what a status shows as imageID. */
  readonly ref: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
  /** The user that the image asks for: a number, a name, or neither. */
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
  readonly usedBytes: number;
  readonly usedInodes: number;
}
