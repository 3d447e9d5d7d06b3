/** Receives the metrics of volumes. It never throws. */
export interface StorageObserver {
  /** `plugin` such as `kubernetes.io/empty-dir`, `operation` such as `volume_mount`. */
  operationEnded(plugin: string, operation: string, seconds: number, isFailed: boolean): void;
}

/** The volumes of one plugin: those that pods want, and those that exist. */
export interface VolumeCounts {
  readonly desired: number;
  readonly actual: number;
}
