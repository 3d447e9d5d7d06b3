/** Why a container cannot get an input that its spec names, with the messages that users see. */
import { defineError } from '../../lib/errors.ts';

export const inputUnresolved = defineError<{ reason: string }>({
  code: 'CONTAINER_INPUT_UNRESOLVED',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () =>
    'Create the object that the message names, or mark the reference as optional. The container starts ' +
    'automatically once everything exists.',
});
