/**
 * Why a container did not start: the reason and the message that its status shows while it waits
 * (KL-44), and when it is to be tried again, if that is known.
 */
import { PodkeepError } from '../../lib/errors.ts';

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
    const hint = 'It is tried again by itself. The events of the pod tell what was done before.';
    super('CONTAINER_START_FAILED', failure.message, hint, 'backoff', cause);
    this.container = container;
    this.reason = failure.reason;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
