/**
 * Asks a server over gRPC's health protocol, without encryption.
 *
 * Like the kubelet, it does not give up when the connection is refused: it tries again until the time is
 * over, and then says only that (the kubelet waits for its connection to be ready).
 */
import * as http2 from 'node:http2';
import { formatGoDuration } from '../../../api/time-duration.ts';
import type { Clock } from '../../../ports/clock.ts';
import { goQuote } from '../../pod-runner/go-text.ts';
import { wait } from '../../pod-runner/wait.ts';
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
      return typeof answer === 'string' ? judge(answer) : failed(failureWords(answer, limitText));
    } finally {
      session.destroy();
    }
  });
}

function judge(status: string): ProbeAnswer {
  if (status === 'SERVING') return succeeded('service healthy');
  return failed(`service unhealthy (responded with ${goQuote(status)})`);
}

function failureWords({ code, description }: GrpcStatus, limitText: string): string {
  switch (code) {
    case 'Unimplemented':
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${description}`;
    case 'DeadlineExceeded':
      return `timeout: health rpc did not complete within ${limitText}`;
    default:
      return `error: health rpc probe failed: rpc error: code = ${code} desc = ${description}`;
  }
}

/** Null: the time was over first. */
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

/** A server is there when it has greeted: who only accepts connections may speak something else. */
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
    signal.addEventListener('abort', giveUp);
    session.on('error', giveUp);
    session.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve(null);
    });
    session.on('remoteSettings', () => resolve(session));
  });
}
