/** The errors of manifests; each names the file. */
import { defineError } from '../../lib/errors.ts';

export const manifestInvalid = defineError<{ file: string; problem: string }>({
  code: 'MANIFEST_INVALID',
  retry: 'backoff',
  message: ({ file, problem }) => `the manifest ${file} cannot be used: ${problem}`,
  hint: () =>
    'Podkeep rereads it until it is valid; meanwhile the pods that it described before keep running. ' +
    'A half-written file is used once it is complete.',
});

export const manifestUnreadable = defineError<{ file: string; reason: string }>({
  code: 'MANIFEST_UNREADABLE',
  retry: 'backoff',
  message: ({ file, reason }) => `the manifest ${file} cannot be read: ${reason}`,
  hint: () => 'Check its file type, owner and mode. Podkeep retries automatically.',
});
