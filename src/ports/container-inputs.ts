/**
 * What a container is given from outside of its image: its environment, its files, and the words of
 * its command with the environment put in. Resolved anew for every start, because config maps,
 * secrets and addresses change.
 */
import type { Container, Pod } from '../api/pod.ts';
import type { EnvironmentVariable, Mount } from './runtime/container-config.ts';

export interface ContainerInputs {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  /** Volumes and the hosts file, all on the host already. */
  readonly mounts: readonly Mount[];
  readonly devices: readonly string[];
  /** Groups that own what is mounted, such as fsGroup of a volume. */
  readonly supplementalGroups: readonly number[];
}

export interface ContainerInputsRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** Of the sandbox that the container will run in; with the host's network those of the host. */
  readonly podIPs: readonly string[];
}

export interface ContainerInputsSource {
  /**
   * Throws if something that the container needs is not there. The error's message is what users
   * see beside CreateContainerConfigError, such as `configmap "x" not found`.
   */
  resolve(request: ContainerInputsRequest, signal: AbortSignal): Promise<ContainerInputs>;
}
