/** Errors of checkpoint files, with hints for the operator. */
import { defineError } from '../../lib/errors.ts';

interface FileFacts {
  readonly file: string;
  readonly reason: string;
}

/** The content of the file is invalid. This is the cause of a CHECKPOINT_UNUSABLE. */
export const checkpointCorrupt = defineError<{ reason: string }>({
  code: 'CHECKPOINT_CORRUPT',
  retry: 'never',
  message: ({ reason }) => `checkpoint is corrupted: ${reason}`,
  hint: () => 'Drain this node, delete the checkpoint file, and start podkeep again.',
});

/** The node must not start: it would allocate resources that running containers already have (KL-98). */
export const checkpointUnusable = defineError<FileFacts>({
  code: 'CHECKPOINT_UNUSABLE',
  retry: 'never',
  message: ({ file, reason }) => `cannot restore the resources of pods from ${file}: ${reason}`,
  hint: ({ file }) =>
    'The file was left as it is. If it cannot be made readable again, drain this node, ' +
    `then delete ${file} and start podkeep again.`,
});

export const checkpointFolderUnusable = defineError<{ folder: string; reason: string }>({
  code: 'CHECKPOINT_FOLDER_UNUSABLE',
  retry: 'never',
  message: ({ folder, reason }) => `cannot keep checkpoints in ${folder}: ${reason}`,
  hint: ({ folder }) =>
    `Check that ${folder} is a folder, that podkeep may write in it, and that its disk is healthy.`,
});

export const checkpointNotWritten = defineError<FileFacts>({
  code: 'CHECKPOINT_NOT_WRITTEN',
  retry: 'backoff',
  message: ({ file, reason }) => `cannot write the resources of pods to ${file}: ${reason}`,
  hint: ({ file }) =>
    'Nothing was changed, neither in the file nor in podkeep. ' +
    `Check the free space and the permissions of the folder of ${file}.`,
});

export const CHECKPOINT_NOT_DURABLE = 'CHECKPOINT_NOT_DURABLE';

export const checkpointNotDurable = defineError<FileFacts>({
  code: CHECKPOINT_NOT_DURABLE,
  retry: 'backoff',
  message: ({ file, reason }) =>
    `the resources of pods were written to ${file}, but may not survive a power loss: ${reason}`,
  hint: ({ file }) =>
    `The next change writes the whole file again. Check the health of the disk that holds ${file}.`,
});

/** The message of any thrown value. */
export function checkpointReasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
