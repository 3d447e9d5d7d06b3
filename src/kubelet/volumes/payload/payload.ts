/** Files of a volume, by their paths below it. */
export interface FileProjection {
  readonly data: Uint8Array;
  readonly mode: number;
  /** Absent: podkeep's own. */
  readonly user?: number | undefined;
}

export type Payload = ReadonlyMap<string, FileProjection>;
