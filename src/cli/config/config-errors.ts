/** Errors of a configuration file: it cannot be read, or it has invalid or unsupported fields. */
import { defineError } from '../../lib/errors.ts';

export const configUnreadable = defineError<{ file: string; reason: string }>({
  code: 'CONFIG_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `the configuration in ${file} cannot be read: ${reason}`,
  hint: () =>
    'Check that the file exists, that this user may read it, and that it is YAML or JSON.',
});

export const configInvalid = defineError<{ file: string; problems: readonly string[] }>({
  code: 'CONFIG_INVALID',
  retry: 'never',
  message: ({ file, problems }) => `${file}: ${problems.join('\n  ')}`,
  hint: () => 'Correct the file. docs/configuration.md lists the fields and their values.',
});
