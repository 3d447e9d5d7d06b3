/**
 * Calls webhooks for the API server over HTTPS.
 *
 * 1. The certificate is verified against the authorities and the server name of the call. TLS sessions are
 *    not resumed, because a resumed session shows no certificate.
 * 2. Redirects are not followed, and no credentials and no proxy are used.
 * 3. The answer has a maximum size, and the whole call has a timeout.
 * 4. If the server has closed an idle connection in the meantime, and only then, the call is sent a second
 *    time, over a new connection.
 */
import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import type { WebhookAnswer, WebhookCall, WebhookClient } from '../ports/api/webhook-client.ts';
import { bracketed, describeFault, isReset } from './connection-fault.ts';

const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
const IDLE_MS = 30_000;
const IDLE_SOCKETS_MAX = 4;

export interface HttpsWebhookClient extends WebhookClient {
  /** Closes idle connections. */
  close(): void;
}

export function createWebhookClient(clock: Pick<Clock, 'after'>): HttpsWebhookClient {
  const agent = new Agent({
    keepAlive: true,
    maxCachedSessions: 0,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    timeout: IDLE_MS,
  });
  return {
    post: async (call) => {
      try {
        return await send(call, agent, clock);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
        return send(call, false, clock);
      }
    },
    close: () => agent.destroy(),
  };
}

/** A reused connection that the server has closed. */
class StaleConnection extends Error {}

function send(
  call: WebhookCall,
  agent: Agent | false,
  clock: Pick<Clock, 'after'>,
): Promise<WebhookAnswer> {
  const { host, port, path, serverName, caBundle, body, timeoutMs } = call;
  return new Promise((resolve, reject) => {
    const outgoing = requestHttps({
      method: 'POST',
      host,
      port,
      path,
      agent,
      // An IP address is not a server name; the certificate is then verified for the host.
      servername: isIP(serverName) === 0 ? serverName : '',
      ...(caBundle !== null && { ca: caBundle }),
      rejectUnauthorized: true,
      headers: {
        host: port === 443 ? serverName : `${bracketed(serverName)}:${port}`,
        'content-type': 'application/json',
        accept: 'application/json, */*',
        'user-agent': 'kube-apiserver-admission',
        'content-length': Buffer.byteLength(body),
      },
    });
    const cancel = clock.after(timeoutMs, () => fail(new Error('context deadline exceeded')));
    const fail = (error: unknown): void => {
      cancel();
      outgoing.destroy();
      reject(describe(error, call, outgoing.reusedSocket));
    };
    outgoing.once('error', fail);
    outgoing.once('response', (message) => {
      readAnswer(message).then((text) => {
        cancel();
        resolve({ status: message.statusCode ?? 0, body: text });
      }, fail);
    });
    outgoing.end(body);
  });
}

async function readAnswer(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new Error(`the response is larger than ${ANSWER_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function describe(error: unknown, call: WebhookCall, isReused: boolean): Error {
  if (isReused && isReset(error)) return new StaleConnection(String(error));
  return describeFault(error, call);
}
