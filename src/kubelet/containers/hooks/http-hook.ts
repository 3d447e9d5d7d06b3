/**
 * Builds and sends the request of an httpGet lifecycle hook. Any response is a success, even an error status,
 * because the server has received the request. As in Kubernetes' kubelet, certificates are not verified, and
 * a server that answers HTTPS with plain HTTP gets the request again over HTTP.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { defineError } from '../../../lib/errors.ts';
import type { ContainerPort, HttpGetAction } from '../../../api/run-spec.ts';

export interface HookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one request and ignores the response. */
export type HookClient = (request: HookRequest, signal: AbortSignal) => Promise<void>;

export const portUnknown = defineError<{ port: string }>({
  code: 'HOOK_PORT_UNKNOWN',
  retry: 'never',
  message: ({ port }) => `couldn't find port: ${port}`,
  hint: () => 'Name one of the ports of the container, or give a number from 1 to 65535.',
});

const PLAIN_ANSWER = 'EPROTO';

export function hookRequest(
  action: HttpGetAction,
  ports: readonly ContainerPort[],
  podIp: string,
): HookRequest {
  const { scheme = 'HTTP', path = '/', host = '', httpHeaders = [] } = action;
  const address = host || podIp;
  const shown = address.includes(':') ? `[${address}]` : address;
  const slash = path.startsWith('/') ? '' : '/';
  const port = portNumber(action.port, ports);
  const headers: Record<string, string> = { 'user-agent': 'kube-lifecycle/1.36', accept: '*/*' };
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value;
  return { url: `${scheme.toLowerCase()}://${shown}:${port}${slash}${path}`, headers };
}

export const sendHookRequest: HookClient = async (request, signal) => {
  try {
    await send(request, signal);
  } catch (error) {
    const isPlain = request.url.startsWith('https:') && codeOf(error) === PLAIN_ANSWER;
    if (!isPlain) throw error;
    // The authorization header is meant for the encrypted connection only.
    const { authorization: _, ...headers } = request.headers;
    await send({ url: request.url.replace(/^https:/, 'http:'), headers }, signal);
  }
};

function send({ url, headers }: HookRequest, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { headers, signal, agent: false } as const;
    const request = url.startsWith('https:')
      ? https.request(url, { ...options, rejectUnauthorized: false })
      : http.request(url, options);
    request.on('response', (response) => {
      response.resume();
      response.on('error', () => {});
      resolve();
      // A server that never ends its response must not keep the connection open.
      if (Number(response.headers['content-length'] ?? Infinity) > BODY_BYTES_MAX)
        request.destroy();
    });
    request.on('error', reject);
    request.end();
  });
}

const BODY_BYTES_MAX = 10_240;

function portNumber(port: number | string, ports: readonly ContainerPort[]): number {
  const named = ports.find(({ name }) => name !== undefined && name === port)?.containerPort;
  const number = named ?? Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw portUnknown({ port: String(port) });
  }
  return number;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
