/** Finds the registry credentials for a pod's images, from its imagePullSecrets and the node. */
import type { Pod } from '../../api/pod.ts';
import type { Credentials } from '../runtime/image-store.ts';

export interface PullSecrets {
  find(pod: Pod, signal: AbortSignal): Promise<FoundPullSecrets>;
}

export interface FoundPullSecrets {
  /** Names of the pod's imagePullSecrets that do not exist. The pull is tried nevertheless. */
  readonly missing: readonly string[];
  /** Those that match the image's registry, best first. Empty: the pull is anonymous. */
  credentialsFor(image: string): readonly Credentials[];
}
