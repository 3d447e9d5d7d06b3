/**
 * Connects to the streaming URL that the runtime returned, and upgrades the connection to SPDY.
 *
 *     POST URL, Upgrade: SPDY/3.1 ──> 101 ──> streams
 *                                    └──> any other status: the runtime's message becomes the error
 *
 * The runtime accepts the URL once, and only for a short time.
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
  /** For error messages, such as exec. */
  readonly what: string;
  /** The streaming protocol, such as v4.channel.k8s.io. */
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
    throw streamingFailed({ what, reason: `${JSON.stringify(url)} is not a valid URL` }, error);
  }
  const isSecure = address.protocol === 'https:';
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'SPDY/3.1',
    'X-Stream-Protocol-Version': protocol,
    'Content-Length': 0,
  };
  if (!isSecure) return requestHttp(address, { method: 'POST', headers });
  // The certificate is self-signed. The URL came through the runtime's socket, so it is trusted.
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
    // The connection broke: the part of the message received so far is used.
  }
  return `${answer.statusCode} ${answer.statusMessage}: ${text.trim()}`;
}
