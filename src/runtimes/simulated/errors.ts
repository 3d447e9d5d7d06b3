/** Errors of the simulated runtime, with the same codes as other runtimes. */
import { defineError } from '../../lib/errors.ts';

export const notFound = defineError<{ what: 'sandbox' | 'container' | 'image'; id: string }>({
  code: 'RUNTIME_NOT_FOUND',
  retry: 'never',
  message: ({ what, id }) => `there is no ${what} ${id}`,
  hint: () => 'It was removed, or it was never made.',
});

export const conflict = defineError<{ what: string; reason: string }>({
  code: 'RUNTIME_CONFLICT',
  retry: 'backoff',
  message: ({ what, reason }) => `cannot create ${what}: ${reason}`,
  hint: () => 'Remove the existing one first, or use the next attempt number.',
});

export const notRunning = defineError<{ id: string; state: string }>({
  code: 'CONTAINER_NOT_RUNNING',
  retry: 'backoff',
  message: ({ id, state }) => `container ${id} is not running: it is ${state}`,
  hint: () => 'Wait until it runs, or see in its log why it ended.',
});

export const sandboxStopped = defineError<{ id: string }>({
  code: 'SANDBOX_NOT_READY',
  retry: 'backoff',
  message: ({ id }) => `the sandbox ${id} was stopped`,
  hint: () => 'Podkeep creates it again automatically.',
});

export const simulatedExecTimedOut = defineError<{ command: string; seconds: number }>({
  code: 'EXEC_TIMED_OUT',
  retry: 'backoff',
  message: ({ command, seconds }) => `command ${command} timed out after ${seconds} s`,
  hint: () =>
    'Allow the simulated command more time: in the script that defines it, or in the request that runs it.',
});

export const simulatedImageNameInvalid = defineError<{ image: string }>({
  code: 'INVALID_IMAGE_NAME',
  retry: 'never',
  message: ({ image }) => `${JSON.stringify(image.slice(0, 80))} cannot be the name of an image`,
  hint: () => 'Write it like nginx or nginx:1.27.',
});

/** An error that a script or an injected fault asked for. */
export const asScripted = defineError<{ what: string }>({
  code: 'SIMULATED_FAULT',
  retry: 'backoff',
  message: ({ what }) => what,
  hint: () => 'The script or an injected fault of the simulated runtime caused this error.',
});
