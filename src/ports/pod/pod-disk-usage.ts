/**
 * Measures how much of the node's disk pods use. Absent: there are no such files, or they were not measured
 * yet.
 */
import type { PodReference } from '../../api/pod-reference.ts';

export interface PodDiskRequest {
  readonly pod: PodReference;
  readonly volumes: readonly {
    readonly name: string;
    readonly kind: 'empty-dir' | 'configmap';
  }[];
  /** Containers whose logs count. Empty: no logs are measured. */
  readonly containers: readonly string[];
}

export interface PodDiskBytes {
  readonly volumes: ReadonlyMap<string, number>;
  readonly volumeInodes?: ReadonlyMap<string, number>;
  /** By container. */
  readonly logs: ReadonlyMap<string, number>;
  readonly logInodes?: ReadonlyMap<string, number>;
  /** The hosts file, and files beside the logs of containers. */
  readonly otherBytes: number;
}

export interface PodDiskUsage {
  /**
   * Measures these pods, in their order, within a limited time. Other pods are forgotten. A volume too
   * large for one call is continued by the next; until then its last known size counts.
   */
  measure(requests: readonly PodDiskRequest[]): Promise<readonly PodDiskBytes[]>;
  /**
   * Whether a path is on another file system than the pod folders, or than the second path. Rejects if it
   * does not exist.
   */
  isElsewhere(path: string, than?: string): Promise<boolean>;
  /** Ends a measurement under way. */
  stop(): Promise<void>;
}
