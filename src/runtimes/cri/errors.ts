/**
 * Errors of a CRI runtime. Messages have the form of other CRI clients (`rpc error: code = … desc = …`), so
 * that users can search for them.
 */
import { defineError, PodkeepError } from '../../lib/errors.ts';
import type { GrpcStatus } from '../../lib/grpc-status.ts';

export interface CallFacts {
  /** The name of the CRI call, such as RunPodSandbox. */
  readonly call: string;
  readonly status: GrpcStatus;
  readonly description: string;
}

/**
 * Calls whose failures appear in pod statuses and Events. The kubelet shows only the description there; of a
 * failed pull, only if its status is Unknown.
 */
const PLAIN: Readonly<Record<string, (status: GrpcStatus) => boolean>> = {
  CreateContainer: () => true,
  StartContainer: () => true,
  PullImage: (status) => status === 'Unknown',
};

const callMessage = ({ call, status, description }: CallFacts): string =>
  PLAIN[call]?.(status) ? description : `rpc error: code = ${status} desc = ${description}`;

const notFound = defineError<CallFacts>({
  code: 'RUNTIME_NOT_FOUND',
  retry: 'never',
  message: callMessage,
  hint: () => 'It was removed, or it belongs to another runtime.',
});

const unavailable = defineError<CallFacts>({
  code: 'RUNTIME_UNAVAILABLE',
  retry: 'backoff',
  message: callMessage,
  hint: () =>
    'Check that the container runtime runs and listens at the endpoint: systemctl status containerd. ' +
    'Podkeep retries automatically.',
});

const timedOut = defineError<CallFacts>({
  code: 'RUNTIME_TIMED_OUT',
  retry: 'backoff',
  message: callMessage,
  hint: () => 'Podkeep retries automatically. If this persists, check the log of the runtime.',
});

const callUnsupported = defineError<CallFacts>({
  code: 'RUNTIME_CALL_UNSUPPORTED',
  retry: 'never',
  message: callMessage,
  hint: ({ call }) => `This runtime has no ${call}; a newer version may have it.`,
});

const refused = defineError<CallFacts>({
  code: 'RUNTIME_REFUSED',
  retry: 'backoff',
  message: callMessage,
  hint: ({ call }) => `The runtime answered this to ${call}; see its log.`,
});

export const answerBroken = defineError<{ call: string; reason: string }>({
  code: 'RUNTIME_ANSWER_BROKEN',
  retry: 'backoff',
  message: ({ call, reason }) =>
    `the answer of the container runtime to ${call} cannot be read: ${reason}`,
  hint: () => 'Check that the endpoint belongs to a container runtime that speaks CRI v1.',
});

export const endpointInvalid = defineError<{ endpoint: string; reason: string }>({
  code: 'RUNTIME_ENDPOINT_INVALID',
  retry: 'never',
  message: ({ endpoint, reason }) =>
    `the endpoint ${JSON.stringify(endpoint)} of the container runtime cannot be used: ${reason}`,
  hint: () => 'Write it like unix:///run/containerd/containerd.sock.',
});

export const criExecTimedOut = defineError<{ command: string; seconds: number }>({
  code: 'EXEC_TIMED_OUT',
  retry: 'backoff',
  message: ({ command, seconds }) => `command ${command} timed out after ${seconds} s`,
  hint: () => 'Give it more time, or find out what it waits for.',
});

export const streamingFailed = defineError<{ what: string; reason: string }>({
  code: 'RUNTIME_STREAMING_FAILED',
  retry: 'backoff',
  message: ({ what, reason }) => `the container runtime does not stream ${what}: ${reason}`,
  hint: () => 'Check the settings of its streaming server, and its log.',
});

/** The runtime's own error message for a stream that was open already. */
export const streamBroke = defineError<{ reason: string }>({
  code: 'RUNTIME_STREAM_BROKE',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Check the command, the port, and that the container runs.',
});

/** Converts a gRPC status other than OK to an error. */
export function callError(facts: CallFacts, cause?: unknown): PodkeepError {
  switch (facts.status) {
    case 'NotFound':
      return notFound(facts, cause);
    case 'Unavailable':
      return unavailable(facts, cause);
    case 'DeadlineExceeded':
      return timedOut(facts, cause);
    case 'Unimplemented':
      return callUnsupported(facts, cause);
    case 'OK':
    case 'Canceled':
    case 'Unknown':
    case 'InvalidArgument':
    case 'AlreadyExists':
    case 'PermissionDenied':
    case 'ResourceExhausted':
    case 'FailedPrecondition':
    case 'Aborted':
    case 'OutOfRange':
    case 'Internal':
    case 'DataLoss':
    case 'Unauthenticated':
      return refused(facts, cause);
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof PodkeepError && error.code === code;
}
