/**
 * Runs a grpc probe: calls a server with gRPC's health protocol, without encryption.
 *
 * Like Kubernetes' kubelet, which waits for its connection to be ready, podkeep retries a refused connection
 * until the timeout, and then reports only the timeout.
 */
import * as http2 from 'node:http2';
import { formatGoDuration } from '../../../api/values/time-duration.ts';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import type { Clock } from '../../../ports/clock.ts';
import { goQuote } from '../../containers/config/go-text.ts';
import { wait } from '../../waiting/wait.ts';
import { failed, succeeded, type ProbeAnswer } from '../answer.ts';
import { addressText, bracketed, dialedHost, type ProbeAddress } from '../probe-address.ts';
import { callHealth } from './grpc-call.ts';
import type { GrpcStatus } from './grpc-status.ts';
import { withinTime } from './time-limit.ts';

const RECONNECT_MS = 1000;

export function probeGrpc(
  clock: Clock,
  address: ProbeAddress,
  service: string,
  timeoutMs: number,
  outer: AbortSignal,
): Promise<ProbeAnswer> {
  const limitText = formatGoDuration(timeoutMs);
  return withinTime(clock, timeoutMs, outer, async ({ signal }) => {
    const session = await connectUntil(clock, address, signal);
    outer.throwIfAborted();
    if (session === null) {
      const shown = goQuote(addressText(address));
      return failed(
        `timeout: failed to connect service ${shown} within ${limitText}: context deadline exceeded`,
      );
    }
    try {
      const answer = await callHealth(session, service, timeoutMs, signal);
      outer.throwIfAborted();
      return typeof answer === 'string'
        ? probeAnswerOf(answer)
        : failed(failureMessage(answer, limitText));
    } finally {
      session.destroy();
    }
  });
}

function probeAnswerOf(status: string): ProbeAnswer {
  if (status === 'SERVING') return succeeded('service healthy');
  return failed(`service unhealthy (responded with ${goQuote(status)})`);
}

function failureMessage({ code, description }: GrpcStatus, limitText: string): string {
  switch (code) {
    case 'Unimplemented':
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${description}`;
    case 'DeadlineExceeded':
      return `timeout: health rpc did not complete within ${limitText}`;
    default:
      return `error: health rpc probe failed: rpc error: code = ${code} desc = ${description}`;
  }
}

/** Null: the timeout came first. */
async function connectUntil(
  clock: Clock,
  address: ProbeAddress,
  signal: AbortSignal,
): Promise<http2.ClientHttp2Session | null> {
  while (!signal.aborted) {
    const session = await connect(address, signal);
    if (session) return session;
    await wait(clock, RECONNECT_MS, signal).catch(() => undefined);
  }
  return null;
}

/** A server counts as connected when it has sent its SETTINGS: before that it may speak another protocol. */
function connect(
  address: ProbeAddress,
  signal: AbortSignal,
): Promise<http2.ClientHttp2Session | null> {
  return new Promise((resolve) => {
    const host = bracketed(dialedHost(address));
    const session = http2.connect(`http://${host}:${address.port}`);
    const giveUp = (): void => {
      session.destroy();
      resolve(null);
    };
    onAbort(signal, giveUp);
    session.on('error', giveUp);
    session.on('close', () => {
      offAbort(signal, giveUp);
      resolve(null);
    });
    session.on('remoteSettings', () => resolve(session));
  });
}
