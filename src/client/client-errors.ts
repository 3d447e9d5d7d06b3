/** Errors of requests that did not get a valid answer from the API server. */
import { defineError } from '../lib/errors.ts';

/** It is unknown whether the request took effect. */
export const apiUnreachable = defineError<{ server: string; reason: string }>({
  code: 'API_UNREACHABLE',
  retry: 'backoff',
  message: ({ server, reason }) => `the API server at ${server} cannot be reached: ${reason}`,
  hint: () =>
    'Podkeep retries automatically. Check that the server runs at this address, that this machine can ' +
    'reach it, and that the kubeconfig has the certificate authority of the server.',
});

export const apiTimedOut = defineError<{ request: string; seconds: number }>({
  code: 'API_TIMED_OUT',
  retry: 'backoff',
  message: ({ request, seconds }) => `${request} was not answered within ${seconds} s`,
  hint: () => 'Podkeep retries automatically. If this persists, check the load of the API server.',
});

export const apiAnswerBroken = defineError<{ request: string; problem: string }>({
  code: 'API_ANSWER_BROKEN',
  retry: 'backoff',
  message: ({ request, problem }) => `the answer to ${request} cannot be used: ${problem}`,
  hint: () =>
    'Check that a Kubernetes API server runs at this address, and whether a proxy in between answers for ' +
    'it or cuts off its answers.',
});
