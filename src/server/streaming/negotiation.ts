/**
 * Negotiates the protocol of exec, attach and port-forward: SPDY/3.1 or WebSocket, and Kubernetes'
 * subprotocol in it.
 *
 *     upgrade: websocket   sec-websocket-protocol      the first one of the client that podkeep supports
 *     upgrade: SPDY/3.1    x-stream-protocol-version   the same
 *
 * Refusals have the messages of Kubernetes' kubelet: clients print them.
 */
import type { StreamKind } from '../../ports/api/streaming.ts';
import type { ApiHeaders } from '../../ports/api/http-handler.ts';
import type { Refusal } from './refusal.ts';

export type Agreement =
  | { readonly wire: 'spdy'; readonly protocol: string }
  | { readonly wire: 'tunnel'; readonly protocol: string }
  | { readonly wire: 'webSocket'; readonly protocol: string };

const TUNNEL_PREFIX = 'SPDY/3.1+';

const SPDY_COMMAND = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;
const SPDY_PORTS = ['portforward.k8s.io'] as const;

const WEB_SOCKET_COMMAND = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
] as const;
const WEB_SOCKET_PORTS = [
  ...SPDY_PORTS.map((name) => `${TUNNEL_PREFIX}${name}`),
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
];

export function isWebSocket(headers: ApiHeaders): boolean {
  return (headers.get('upgrade') ?? '').toLowerCase() === 'websocket' && wantsUpgrade(headers);
}

export function negotiate(kind: StreamKind, headers: ApiHeaders): Agreement | Refusal {
  const isCommand = kind !== 'portForward';
  if (isWebSocket(headers)) {
    return agreeOnWebSocket(headers, isCommand ? WEB_SOCKET_COMMAND : WEB_SOCKET_PORTS);
  }
  const isSpdy = (headers.get('upgrade') ?? '').toLowerCase().includes('spdy/3.1');
  if (!isSpdy || !wantsUpgrade(headers)) {
    return refuse(400, 'unable to upgrade: missing upgrade headers in request');
  }
  return agreeOnSpdy(headers, isCommand ? SPDY_COMMAND : SPDY_PORTS);
}

function wantsUpgrade(headers: ApiHeaders): boolean {
  return (headers.get('connection') ?? '').toLowerCase().includes('upgrade');
}

function agreeOnWebSocket(headers: ApiHeaders, known: readonly string[]): Agreement | Refusal {
  const asked = listOf(headers.get('sec-websocket-protocol'));
  // A client that names no protocol gets the oldest subprotocol.
  if (asked.length === 0) return { wire: 'webSocket', protocol: '' };
  const protocol = asked.find((name) => known.includes(name));
  if (protocol === undefined) {
    const text = `requested protocol(s) are not supported: [${asked.join(' ')}]; supports [${known.join(' ')}]`;
    return refuse(403, text);
  }
  return { wire: protocol.startsWith(TUNNEL_PREFIX) ? 'tunnel' : 'webSocket', protocol };
}

const VERSION_HEADER = 'X-Stream-Protocol-Version';

function agreeOnSpdy(headers: ApiHeaders, known: readonly string[]): Agreement | Refusal {
  const given = headers.get(VERSION_HEADER.toLowerCase());
  if (given === null) {
    const count = [...headers].length;
    return refuse(
      400,
      `unable to upgrade: header ${VERSION_HEADER} does not exist in request with ${count} headers`,
    );
  }
  const asked = listOf(given);
  if (asked.length === 0) {
    return refuse(
      400,
      `unable to upgrade: header ${VERSION_HEADER} contains [${given}], but no valid protocols`,
    );
  }
  const protocol = asked.find((name) => known.includes(name));
  if (protocol !== undefined) return { wire: 'spdy', protocol };
  const text =
    `unable to upgrade: unable to negotiate protocol: ` +
    `client supports [${asked.join(' ')}], server accepts [${known.join(' ')}]`;
  const accepted = known.map((name) => ['X-Accepted-Stream-Protocol-Versions', name] as const);
  return { ...refuse(403, text), headers: accepted };
}

function listOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function refuse(code: number, message: string): Refusal {
  return { code, message };
}
