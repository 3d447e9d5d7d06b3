/** The errors of the object store, each with a hint. */
import { defineError } from '../../lib/errors.ts';

/** An expected revision of a commit was not met. The caller reads again and decides again. */
export const storeConflict = defineError<{ key: string; expected: number; actual: number }>({
  code: 'STORE_CONFLICT',
  retry: 'never',
  message: ({ key, expected, actual }) =>
    `conflict: expected ${key} to be ${nameRevision(expected)}, found it ${nameRevision(actual)}`,
  hint: () => 'Read the object again, apply the change to its current version, and commit again.',
});

export const storeFailed = defineError<{ place: string }>({
  code: 'STORE_FAILED',
  retry: 'backoff',
  message: ({ place }) => `the change could not be written to ${place}, and was not made`,
  hint: ({ place }) =>
    `Check the free space and the health of the disk that holds ${place}. ` +
    'Reading goes on meanwhile, and writing works again as soon as the disk does.',
});

export const storeClosed = defineError<{ place: string }>({
  code: 'STORE_CLOSED',
  retry: 'never',
  message: ({ place }) => `${place} is closed and takes no more changes`,
  hint: () => 'The server is shutting down: send the request to the one that takes its place.',
});

export const revisionTooOld = defineError<{ revision: number; oldest: number }>({
  code: 'REVISION_TOO_OLD',
  retry: 'never',
  message: ({ revision, oldest }) =>
    `revision ${revision} has been compacted; the oldest available revision is ${oldest}`,
  hint: () => 'List again without a revision, and watch from the revision of that list.',
});

export const revisionTooNew = defineError<{ revision: number; newest: number }>({
  code: 'REVISION_TOO_NEW',
  retry: 'backoff',
  message: ({ revision, newest }) =>
    `there is no revision ${revision} yet, the newest is ${newest}`,
  hint: () => 'List again: the revision comes from another server, or from before a restore.',
});

/**
 * podkeep did not write the file like this. The file is not changed, so that its content can be recovered.
 */
export const storeDamaged = defineError<{ file: string; reason: string }>({
  code: 'STORE_DAMAGED',
  retry: 'never',
  message: ({ file, reason }) => `${file} is damaged or is not a store of podkeep: ${reason}`,
  hint: ({ file }) =>
    `Put a backup in its place, or move ${file} away to start with an empty store. ` +
    'Nothing in it was changed.',
});

export const storeTooNew = defineError<{ file: string; format: number; known: number }>({
  code: 'STORE_TOO_NEW',
  retry: 'never',
  message: ({ file, format, known }) =>
    `${file} has format ${format}, and this podkeep knows formats up to ${known}`,
  hint: ({ file }) =>
    `Start the newer podkeep that wrote it, or move ${file} away to start with an empty store.`,
});

export const storeLocked = defineError<{ folder: string; owner: string }>({
  code: 'STORE_LOCKED',
  retry: 'never',
  message: ({ folder, owner }) => `the store in ${folder} is in use by ${owner}`,
  hint: () => 'Stop the other podkeep first, or give this one a folder of its own.',
});

export const storeUnreadable = defineError<{ file: string; reason: string }>({
  code: 'STORE_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `${file} cannot be opened: ${reason}`,
  hint: () => 'Check that the folder exists, and that this user may read and write in it.',
});

function nameRevision(revision: number): string {
  return revision === 0 ? 'absent' : `at revision ${revision}`;
}
