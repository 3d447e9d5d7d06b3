/** What can go wrong between podkeep and an API server, before the API itself has a say. */
import { defineError } from '../lib/errors.ts';

/** Nobody knows whether the request took effect. */
export const apiUnreachable = defineError<{ server: string; reason: string }>({
  code: 'API_UNREACHABLE',
  retry: 'backoff',
  message: ({ server, reason }) => `the API server at ${server} cannot be reached: ${reason}`,
  hint: () =>
    'It is tried again by itself. Check that the server runs at this address, that this machine may ' +
    'reach it, and that the certificate authority in the kubeconfig is the one of the server.',
});

export const apiTimedOut = defineError<{ request: string; seconds: number }>({
  code: 'API_TIMED_OUT',
  retry: 'backoff',
  message: ({ request, seconds }) => `${request} was not answered within ${seconds} s`,
  hint: () => 'It is tried again by itself. If this lasts, look at the load of the API server.',
});

export const apiAnswerBroken = defineError<{ request: string; problem: string }>({
  code: 'API_ANSWER_BROKEN',
  retry: 'backoff',
  message: ({ request, problem }) => `the answer to ${request} cannot be used: ${problem}`,
  hint: () =>
    'Check that a Kubernetes API server stands at this address, and what is between it and here: ' +
    'a proxy may answer in its place, or cut off what it says.',
});
