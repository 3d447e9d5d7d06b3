/** What can go wrong with hooks of containers. */
import { defineError } from '../../lib/errors.ts';

/** The message is for the status of the container; events do not show it, it may hold secrets. */
export const hookFailed = defineError<{ message: string }>({
  code: 'HOOK_FAILED',
  retry: 'backoff',
  message: ({ message }) => message,
  hint: () => 'Check the hook in the spec of the container, and the log of the container.',
});
