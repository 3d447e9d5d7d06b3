/**
 * Failures of a sync that decide when the pod is synced next (PW-52, PW-53).
 *
 * They are recognised by their type and code, wherever they are in a tree of causes and aggregates.
 * The message of an error is for people: no rule reads it.
 */
import { defineError, PodkeepError } from '../../lib/errors.ts';

export const NETWORK_NOT_READY = 'NETWORK_NOT_READY';

/** The node's network is not up yet. It usually is soon, so the pod does not wait long. */
export const networkNotReady = defineError<{ reason: string }>({
  code: NETWORK_NOT_READY,
  retry: 'backoff',
  message: ({ reason }) => `network is not ready: ${reason}`,
  hint: () =>
    'Pods start automatically once the network is up. Check the network plugin of this node; ' +
    'pods with hostNetwork do not need it.',
});

/** Something must not be retried before a given time, such as the start of a crashing container. */
export class BackOffError extends PodkeepError {
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number;

  constructor(message: string, expiresAtMs: number, cause?: unknown) {
    const hint = 'No action is needed: podkeep retries when the back-off ends.';
    super('BACK_OFF', message, hint, 'backoff', cause);
    this.expiresAtMs = expiresAtMs;
  }
}
