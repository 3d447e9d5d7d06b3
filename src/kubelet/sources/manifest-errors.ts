/** Mistakes in manifests, told by the file that they are in. */
import { defineError } from '../../lib/errors.ts';

export const manifestInvalid = defineError<{ file: string; problem: string }>({
  code: 'MANIFEST_INVALID',
  retry: 'backoff',
  message: ({ file, problem }) => `the manifest ${file} cannot be used: ${problem}`,
  hint: () =>
    'It is read again by itself until it is right. Until then the pods that it described before go ' +
    'on. A file that was only half written will do at the next look.',
});

export const manifestUnreadable = defineError<{ file: string; reason: string }>({
  code: 'MANIFEST_UNREADABLE',
  retry: 'backoff',
  message: ({ file, reason }) => `the manifest ${file} cannot be read: ${reason}`,
  hint: () => 'Check what it is, its owner and its mode. It is tried again by itself.',
});
