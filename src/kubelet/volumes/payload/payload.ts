/** The files of a volume and their contents, by path relative to the volume. */
export interface FileProjection {
  readonly data: Uint8Array;
  readonly mode: number;
  /** Absent: podkeep's own. */
  readonly user?: number | undefined;
}

export type Payload = ReadonlyMap<string, FileProjection>;
