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

/** The error text of Go's client. */
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
