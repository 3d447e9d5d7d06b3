/** What can be wrong with a configuration file: it cannot be read, or it says what cannot be done. */
import { defineError } from '../../lib/errors.ts';

export const configUnreadable = defineError<{ file: string; reason: string }>({
  code: 'CONFIG_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `the configuration in ${file} cannot be read: ${reason}`,
  hint: () =>
    'Check that the file exists, that this user may read it, and that it is YAML or JSON.',
});

export const configInvalid = defineError<{ file: string; complaints: readonly string[] }>({
  code: 'CONFIG_INVALID',
  retry: 'never',
  message: ({ file, complaints }) => `${file}: ${complaints.join('\n  ')}`,
  hint: () => 'Correct the file. docs/configuration.md lists the fields and what they may say.',
});
