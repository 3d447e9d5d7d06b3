/** Errors of the node's certificates, with hints for the operator. */
import { defineError } from '../../lib/errors.ts';

export const certificateRefused = defineError<{ request: string; how: string; reason: string }>({
  code: 'CERTIFICATE_REFUSED',
  retry: 'never',
  message: ({ request, how, reason }) =>
    `the certificate request ${request} ${how}${reason === '' ? '' : `: ${reason}`}`,
  hint: ({ request }) =>
    `See \`kubectl describe csr ${request}\`. To request another one, delete it and start podkeep again.`,
});

export const CERTIFICATE_REQUEST_TAKEN = 'CERTIFICATE_REQUEST_TAKEN';

export const certificateRequestTaken = defineError<{ request: string; reason: string }>({
  code: CERTIFICATE_REQUEST_TAKEN,
  retry: 'never',
  message: ({ request, reason }) => `a certificate request ${request} exists already: ${reason}`,
  hint: ({ request }) => `Delete it (\`kubectl delete csr ${request}\`) and start podkeep again.`,
});

export const joinRefused = defineError<{ reason: string }>({
  code: 'JOIN_REFUSED',
  retry: 'never',
  message: ({ reason }) => `the API server refused the certificate request of this node: ${reason}`,
  hint: () =>
    'Check the token of the bootstrap kubeconfig (`kubeadm token list`): it may have expired, and its ' +
    'group must be bound to the role system:node-bootstrapper.',
});

export const certificateOverdue = defineError<{ request: string; seconds: number }>({
  code: 'CERTIFICATE_OVERDUE',
  retry: 'backoff',
  message: ({ request, seconds }) =>
    `the certificate request ${request} was not answered within ${seconds} s`,
  hint: ({ request }) =>
    `Approve it with \`kubectl certificate approve ${request}\`, and check that the controller ` +
    'manager, which signs it, runs.',
});

export const certificateUnusable = defineError<{ from: string; reason: string }>({
  code: 'CERTIFICATE_UNUSABLE',
  retry: 'never',
  message: ({ from, reason }) => `the certificate of ${from} cannot be used: ${reason}`,
  hint: () => 'The certificate must be PEM and must come with its matching private key.',
});

export const certificateFolderUnusable = defineError<{ folder: string; reason: string }>({
  code: 'CERTIFICATE_FOLDER_UNUSABLE',
  retry: 'never',
  message: ({ folder, reason }) => `certificates cannot be kept in ${folder}: ${reason}`,
  hint: () => 'Check that this user may write there, or choose another folder with --cert-dir.',
});

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
