/**
 * Calls webhooks over HTTPS.
 *
 * 1. The certificate is verified against the authorities of the call and for its server name; no session is
 *    resumed, because a resumed one shows no certificate.
 * 2. No redirect is followed, no credential and no proxy is used.
 * 3. The answer is read up to a limit, and the whole call ends after its time.
 * 4. A connection that was idle may have been closed by the other end meanwhile: only then the call is sent a
 *    second time, over a new connection.
 */
import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../ports/clock.ts';
import type { WebhookAnswer, WebhookCall, WebhookClient } from '../ports/api/webhook-client.ts';

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

/** The connection was reused, and the other end has closed it. */
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
      // An IP address is no server name; the certificate is checked for the host then.
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

/** In the words of Go's client. */
function describe(
  error: unknown,
  { host, port, serverName }: WebhookCall,
  isReused: boolean,
): Error {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isReused && (code === 'ECONNRESET' || code === 'EPIPE')) return new StaleConnection(message);
  return new Error(sentenceOf(code, message, `${bracketed(host)}:${port}`, serverName), {
    cause: error,
  });
}

function sentenceOf(code: string, message: string, address: string, serverName: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${address}: connect: no route to host`;
    case 'ENETUNREACH':
      return `dial tcp ${address}: connect: network is unreachable`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${serverName}: no such host`;
    case 'ECONNRESET':
      return 'EOF';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: certificate is not valid for ${serverName}`;
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_SIGNATURE_FAILURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    default:
      return message;
  }
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
