/** Files that a volume shows, by their paths below it. */
export interface FileProjection {
  readonly data: Uint8Array;
  readonly mode: number;
  /** Absent: podkeep's own. */
  readonly user?: number | undefined;
}

export type Payload = ReadonlyMap<string, FileProjection>;
