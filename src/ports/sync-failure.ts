/**
 * Failures of a sync that decide when the pod is looked at next (PW-52, PW-53).
 *
 * They are told apart by their type and code, wherever they sit in a tree of causes and aggregates.
 * The words of an error are for people: no rule reads them.
 */
import { defineError, PodkeepError } from '../lib/errors.ts';

export const NETWORK_NOT_READY = 'NETWORK_NOT_READY';

/** The node's network is not up yet. It usually is soon, so the pod does not wait long. */
export const networkNotReady = defineError<{ reason: string }>({
  code: NETWORK_NOT_READY,
  retry: 'backoff',
  message: ({ reason }) => `network is not ready: ${reason}`,
  hint: () =>
    'Pods start by themselves as soon as the network is up. Check the network plugin of this node; ' +
    'pods with hostNetwork do not need it.',
});

/** Something is not to be tried again before a given time, such as the start of a crashing container. */
export class BackOffError extends PodkeepError {
  /** Wall time in milliseconds. */
  readonly expiresAtMs: number;

  constructor(message: string, expiresAtMs: number, cause?: unknown) {
    const hint = 'Nothing needs to be done: it is tried again when the back-off ends.';
    super('BACK_OFF', message, hint, 'backoff', cause);
    this.expiresAtMs = expiresAtMs;
  }
}
