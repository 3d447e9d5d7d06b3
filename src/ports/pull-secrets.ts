/** What registries are told so that they let a pod's images go. */
import type { Pod } from '../api/pod.ts';
import type { Credentials } from './runtime/image-store.ts';

export interface PullSecrets {
  find(pod: Pod, signal: AbortSignal): Promise<FoundPullSecrets>;
}

export interface FoundPullSecrets {
  /** Names of the pod's imagePullSecrets that are not there. They are no reason not to try. */
  readonly missing: readonly string[];
  /** Those that fit the image's registry, best first. Without any, it is pulled without a name. */
  credentialsFor(image: string): readonly Credentials[];
}
