/**
 * A pod as its runtime sees it: sandboxes and containers, dead ones included.
 *
 * Runtimes report it, and the rules in core/ compare it with the pod's spec. Times are RFC 3339 and may have
 * fractions of a second.
 */
import type { Time } from './meta.ts';
import type { ContainerUser } from './pod.ts';

export interface RuntimePod {
  /** Newest first. */
  readonly sandboxes: readonly RuntimeSandbox[];
  /** Newest first among containers of the same name. */
  readonly containers: readonly RuntimeContainer[];
  /** The addresses of the newest sandbox, if it is ready. */
  readonly ips: readonly string[];
  /** The actual limits of the pod as a whole, if the runtime reports them. */
  readonly resources?: RuntimeResources;
}

export interface RuntimeSandbox {
  readonly id: string;
  /** How many sandboxes the pod had before this one. */
  readonly attempt: number;
  readonly ready: boolean;
  readonly hostNetwork: boolean;
  /** Empty: the network assigned no address. Absent: the runtime does not report addresses. */
  readonly ip?: string;
}

/** `unknown`: the runtime lost track of the container, which may or may not run. */
export type RuntimeContainerState = 'created' | 'running' | 'exited' | 'unknown';

export interface RuntimeContainer {
  /** With the runtime's scheme, such as `containerd://…`. */
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeContainerState;
  readonly sandboxID?: string;
  readonly restartCount: number;
  readonly image: string;
  /** The digest to which `image` resolved when the container was created. */
  readonly imageRef: string;
  readonly createdAt: Time;
  readonly startedAt?: Time;
  readonly finishedAt?: Time;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly resources?: RuntimeResources;
  readonly user?: ContainerUser;
  /** Its annotation io.kubernetes.container.hash. Absent: the runtime stores no annotations. */
  readonly hash?: string;
  /** The path of the termination message file on the host. Absent: podkeep's usual path. */
  readonly terminationFile?: string;
}

/** The actual resources, as far as the runtime reports them. */
export interface RuntimeResources {
  readonly cpuRequest?: string;
  readonly cpuLimit?: string;
  readonly memoryRequest?: string;
  readonly memoryLimit?: string;
}
