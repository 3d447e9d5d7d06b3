/**
 * Resolves the inputs that a container gets in addition to its image: environment variables, mounts, and its
 * command with the environment expanded. They are resolved for every start, because ConfigMaps, Secrets and
 * IPs change.
 */
import type { Container, Pod } from '../../api/pod.ts';
import type { EnvironmentVariable, Mount } from '../runtime/container-config.ts';

export interface ContainerInputs {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  /** Volumes and the hosts file; all exist on the host already. */
  readonly mounts: readonly Mount[];
  readonly devices: readonly string[];
  /** Groups that own mounted files, such as fsGroup of a volume. */
  readonly supplementalGroups: readonly number[];
}

export interface ContainerInputsRequest {
  readonly pod: Pod;
  readonly container: Container;
  /** The IPs of the pod's sandbox; with host network those of the host. */
  readonly podIPs: readonly string[];
  /** References of the images that the container mounts, by the names of their volumes. */
  readonly imageVolumes: ReadonlyMap<string, string>;
}

export interface ContainerInputsSource {
  /**
   * Throws if something that the container needs does not exist. Users see the error's message beside
   * CreateContainerConfigError, such as `configmap "x" not found`.
   */
  resolve(request: ContainerInputsRequest, signal: AbortSignal): Promise<ContainerInputs>;
}
