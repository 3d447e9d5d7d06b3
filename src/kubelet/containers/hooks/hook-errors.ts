/** Errors of lifecycle hooks. */
import { defineError } from '../../../lib/errors.ts';

/** The message is for the status of the container; it is not put into Events, because it may contain secrets. */
export const hookFailed = defineError<{ message: string }>({
  code: 'HOOK_FAILED',
  retry: 'backoff',
  message: ({ message }) => message,
  hint: () => 'Check the hook in the spec of the container, and the log of the container.',
});
