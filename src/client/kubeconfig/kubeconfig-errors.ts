/** Errors of kubeconfigs and their credentials, with the file and the field. */
import { defineError } from '../../lib/errors.ts';

export const kubeconfigUnreadable = defineError<{ file: string; reason: string }>({
  code: 'KUBECONFIG_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `the file ${file} cannot be read: ${reason}`,
  hint: () => 'Check that it exists and that this user may read it.',
});

export const kubeconfigInvalid = defineError<{ file: string; field: string; problem: string }>({
  code: 'KUBECONFIG_INVALID',
  retry: 'never',
  message: ({ file, field, problem }) =>
    field === '' ? `kubeconfig ${file}: ${problem}` : `kubeconfig ${file}: ${field} ${problem}`,
  hint: () => 'Correct the file, or choose another. `kubectl config view` shows what it says.',
});

export const credentialsUnavailable = defineError<{ from: string; reason: string; hint: string }>({
  code: 'CREDENTIALS_UNAVAILABLE',
  retry: 'backoff',
  message: ({ from, reason }) => `failed to get credentials from ${from}: ${reason}`,
  hint: ({ hint }) => hint,
});
