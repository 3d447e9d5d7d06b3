/** How many bytes pods take on the node's own disk. Absent from an answer: not there, or not known yet. */
import type { PodReference } from './pod-reference.ts';

export interface PodDiskRequest {
  readonly pod: PodReference;
  readonly volumes: readonly {
    readonly name: string;
    readonly kind: 'empty-dir' | 'configmap';
  }[];
  /** Containers whose logs count. Empty: no logs are measured at all. */
  readonly containers: readonly string[];
}

export interface PodDiskBytes {
  readonly volumes: ReadonlyMap<string, number>;
  /** By container. */
  readonly logs: ReadonlyMap<string, number>;
  /** The hosts file, and files beside the logs of containers. */
  readonly otherBytes: number;
}

export interface PodDiskUsage {
  /**
   * Measures these pods, in their order, within a limited time. A pod that is not named is forgotten.
   * A volume too large for one call is continued by the next; until it is done, its last known size
   * counts.
   */
  measure(requests: readonly PodDiskRequest[]): Promise<readonly PodDiskBytes[]>;
  /** Whether a path is on another file system than the folders of pods. Rejects if it is not there. */
  isElsewhere(path: string): Promise<boolean>;
  /** Ends a measurement under way. */
  stop(): Promise<void>;
}
