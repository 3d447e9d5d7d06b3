/**
 * Creates, reads and removes the files of a pod's containers: their folders, logs and termination messages.
 *
 *     LOGS/NAMESPACE_NAME_UID/CONTAINER/N.log      N counts the runs of the container
 *     ROOT/pods/UID/containers/CONTAINER/N         the termination message of its N-th run
 */
import type { PodReference } from '../../api/pod-reference.ts';

export interface ContainerRun {
  readonly pod: PodReference;
  readonly container: string;
  /** How many runs there were before this one. */
  readonly attempt: number;
}

export interface PodFiles {
  makePodFolders(pod: PodReference): Promise<void>;
  /** The folder of all logs of the pod, on the host. */
  logFolder(pod: PodReference): string;
  /** The log of one run, below that folder. */
  logPath(run: Omit<ContainerRun, 'pod'>): string;
  makeLogFolder(pod: PodReference, container: string): Promise<void>;
  /** The highest N of the container's logs. Null: it has none. */
  lastRunLogged(pod: PodReference, container: string): Promise<number | null>;
  /** An empty file, to be mounted at the container's terminationMessagePath. */
  makeTerminationFile(run: ContainerRun): Promise<string>;
  /**
   * At most the last `bytesMax`. Null: there is no such file. `file`: the path that the runtime reports,
   * which is a different one for a container that a kubelet created.
   */
  readTerminationFile(run: ContainerRun, bytesMax: number, file?: string): Promise<string | null>;
  /** The end of a log, without its time stamps. */
  readLogTail(run: ContainerRun, limits: LogTailLimits): Promise<string>;
  /** The pods that have a log folder. */
  podsWithLogs(): Promise<readonly PodReference[]>;
  removePodLogs(pod: PodReference): Promise<void>;
  removeLog(run: ContainerRun): Promise<void>;
}

export interface LogTailLimits {
  readonly linesMax: number;
  readonly bytesMax: number;
}
