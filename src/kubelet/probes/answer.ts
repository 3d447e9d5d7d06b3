/** What asking a container brings. */
import { defineError } from '../../lib/errors.ts';

export interface ProbeAnswer {
  /** `warning` counts as success, and is told (KL-74). */
  readonly result: 'success' | 'warning' | 'failure';
  /** For the event. */
  readonly output: string;
}

/**
 * Nobody could be asked, or the answer could not be read: that says nothing about the container. The
 * texts are those that the kubelet's users know from events.
 */
export const probeErrored = defineError<{ message: string }>({
  code: 'PROBE_ERRORED',
  retry: 'backoff',
  message: ({ message }) => message,
  hint: () => 'Check the probe: its port, its command, and whether its server ends its answers.',
});

/** The same for a port that the container does not have. */
export const probePortUnknown = defineError<{ message: string }>({
  code: 'PROBE_PORT_UNKNOWN',
  retry: 'never',
  message: ({ message }) => message,
  hint: () => 'Name one of the ports of the container, or give a number from 1 to 65535.',
});

export function succeeded(output = ''): ProbeAnswer {
  return { result: 'success', output };
}

export function failed(output: string): ProbeAnswer {
  return { result: 'failure', output };
}
