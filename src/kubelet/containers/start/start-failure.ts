/**
 * The error of a container that did not start, with the reason and the message of its waiting state (KL-44).
 */
import { PodkeepError } from '../../../lib/errors.ts';

export type StartFailureReason =
  | 'CrashLoopBackOff'
  | 'ImagePullBackOff'
  | 'ErrImagePull'
  | 'ErrImageNeverPull'
  | 'InvalidImageName'
  | 'ImageInspectError'
  | 'RegistryUnavailable'
  | 'SignatureValidationFailed'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError'
  | 'PostStartHookError';

export class ContainerNotStarted extends PodkeepError {
  readonly container: string;
  readonly reason: StartFailureReason;

  constructor(
    container: string,
    failure: { readonly reason: StartFailureReason; readonly message: string },
    cause?: unknown,
  ) {
    const hint = 'Podkeep retries automatically. The events of the pod show what failed before.';
    super('CONTAINER_START_FAILED', failure.message, hint, 'backoff', cause);
    this.container = container;
    this.reason = failure.reason;
  }
}

export function failureMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
