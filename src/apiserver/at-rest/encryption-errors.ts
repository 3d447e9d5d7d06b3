/** The errors of encryption at rest, each with a hint. */
import { defineError } from '../../lib/errors.ts';

export const encryptionConfigInvalid = defineError<{ reason: string }>({
  code: 'ENCRYPTION_CONFIG_INVALID',
  retry: 'never',
  message: ({ reason }) => `the EncryptionConfiguration cannot be used: ${reason}`,
  hint: () =>
    'Correct the file of --encryption-provider-config (docs/at-rest.md has a working example). ' +
    'Nothing was written with the faulty configuration.',
});

/** Kubernetes' own message, because clients of the API see it. */
export const objectUndecryptable = defineError<{ key: string; reason: string }>({
  code: 'OBJECT_UNDECRYPTABLE',
  retry: 'never',
  message: ({ reason }) => reason,
  hint: ({ key }) =>
    `Put the key that ${key} was encrypted with back into the EncryptionConfiguration. If it is lost, ` +
    'delete the object with ignoreStoreReadErrorWithClusterBreakingPotential.',
});

export const encryptionKeyWrong = defineError<{ file: string; count: number; reason: string }>({
  code: 'ENCRYPTION_KEY_WRONG',
  retry: 'never',
  message: ({ file, count, reason }) =>
    `none of the ${count} encrypted objects in ${file} can be decrypted: ${reason}`,
  hint: () =>
    'Start with the EncryptionConfiguration that they were written with. In the list of keys, leave the ' +
    'old key behind the first one until all objects are re-encrypted. Nothing was changed.',
});

export const encryptionConfigMissing = defineError<{ file: string; count: number }>({
  code: 'ENCRYPTION_CONFIG_MISSING',
  retry: 'never',
  message: ({ file, count }) =>
    `${file} has ${count} encrypted objects, and no EncryptionConfiguration was given`,
  hint: () =>
    'Start with --encryption-provider-config and the file that they were written with. To stop ' +
    'encrypting, put the provider identity first in that file and start once with it.',
});
