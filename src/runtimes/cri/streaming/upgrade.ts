/**
 * Connects to the address that the runtime gave for a stream, and speaks SPDY from then on.
 *
 *     POST address, Upgrade: SPDY/3.1 ──> 101 ──> streams
 *                                    └──> anything else: the runtime's message is the error
 *
 * The address is good for one use and for a short time.
 */
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { offAbort, onAbort } from '../../../lib/abort-listeners.ts';
import { SpdySession } from '../../../lib/spdy/spdy-session.ts';
import type { Clock } from '../../../ports/clock.ts';
import { streamingFailed } from '../errors.ts';

export interface UpgradeOptions {
  readonly url: string;
  /** For messages to users, such as exec. */
  readonly what: string;
  /** The name in Kubernetes' streaming server. */
  readonly protocol: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

const CONNECT_MS = 30_000;
const ANSWER_CHARACTERS_MAX = 4096;

/** Rejects with RUNTIME_STREAMING_FAILED, or with the reason of the signal. */
export async function openStreaming(options: UpgradeOptions): Promise<SpdySession> {
  const { clock, signal } = options;
  signal?.throwIfAborted();
  const socket = await upgrade(options);
  const session = new SpdySession({
    role: 'client',
    socket,
    clock,
    idleMs: 0,
    accept: () => false,
  });
  const leave = (): void => session.close();
  onAbort(signal, leave);
  session.gone.addEventListener('abort', () => offAbort(signal, leave), {
    once: true,
  });
  return session;
}

function upgrade(options: UpgradeOptions): Promise<Duplex> {
  const { what, clock, signal } = options;
  return new Promise((resolve, reject) => {
    const asking = ask(options);
    const cancel = clock.after(CONNECT_MS, () =>
      asking.destroy(new Error(`no answer within ${CONNECT_MS / 1000} s`)),
    );
    const leave = (): void => {
      reject(signal?.reason);
      asking.destroy();
    };
    const settle = (): void => {
      cancel();
      offAbort(signal, leave);
    };
    onAbort(signal, leave);
    asking.once('upgrade', (_answer, socket, head) => {
      settle();
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.once('response', (answer) => {
      settle();
      void refusalOf(answer).then((reason) => reject(streamingFailed({ what, reason })));
    });
    asking.once('error', (error) => {
      settle();
      reject(streamingFailed({ what, reason: error.message }, error));
    });
    asking.end();
  });
}

function ask({ url, what, protocol }: UpgradeOptions): ClientRequest {
  let address: URL;
  try {
    address = new URL(url);
  } catch (error) {
    throw streamingFailed({ what, reason: `${JSON.stringify(url)} is no address` }, error);
  }
  const isSecure = address.protocol === 'https:';
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'SPDY/3.1',
    'X-Stream-Protocol-Version': protocol,
    'Content-Length': 0,
  };
  if (!isSecure) return requestHttp(address, { method: 'POST', headers });
  // Its certificate is self-signed. The runtime's socket named this address, so it is the right one.
  return requestHttps(address, { method: 'POST', headers, rejectUnauthorized: false });
}

async function refusalOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of answer) {
      text += String(chunk);
      if (text.length > ANSWER_CHARACTERS_MAX) break;
    }
  } catch {
    // The part received so far has to do.
  }
  return `${answer.statusCode} ${answer.statusMessage}: ${text.trim()}`;
}
