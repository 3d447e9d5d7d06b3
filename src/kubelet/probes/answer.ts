/** The answer of a probe, and the errors of a probe without an answer. */
import { defineError } from '../../lib/errors.ts';

export interface ProbeAnswer {
  /** `warning` counts as success, and is recorded as an Event (KL-74). */
  readonly result: 'success' | 'warning' | 'failure';
  /** The text for the Event. */
  readonly output: string;
}

/**
 * The probe could not run, or its answer could not be read, so the state of the container is unknown. The
 * messages are those of the kubelet's Events.
 */
export const probeErrored = defineError<{ message: string }>({
  code: 'PROBE_ERRORED',
  retry: 'backoff',
  message: ({ message }) => message,
  hint: () =>
    'Check the probe: its port, its command, and whether the server completes its responses.',
});

/** The probe names a port that the container does not have. */
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
