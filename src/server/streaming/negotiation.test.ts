import { expect, test } from 'vitest';
import { negotiate } from './negotiation.ts';

function ask(kind: 'exec' | 'portForward', headers: Record<string, string>): unknown {
  return negotiate(kind, new Headers({ connection: 'Upgrade', ...headers }));
}

test.each([
  ['exec', 'v5.channel.k8s.io, v4.channel.k8s.io', 'webSocket', 'v5.channel.k8s.io'],
  ['exec', 'v9.channel.k8s.io,v4.base64.channel.k8s.io', 'webSocket', 'v4.base64.channel.k8s.io'],
  ['exec', '', 'webSocket', ''],
  ['portForward', 'SPDY/3.1+portforward.k8s.io', 'tunnel', 'SPDY/3.1+portforward.k8s.io'],
  ['portForward', 'v4.channel.k8s.io', 'webSocket', 'v4.channel.k8s.io'],
] as const)('%s over a WebSocket that asks for "%s"', (kind, asked, wire, protocol) => {
  const headers = { upgrade: 'WebSocket', 'sec-websocket-protocol': asked };
  expect(ask(kind, headers)).toEqual({ wire, protocol });
});

test('over SPDY the first version that both know is chosen', () => {
  const headers = {
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': 'v5.channel.k8s.io, v4.channel.k8s.io',
  };
  expect(ask('exec', headers)).toEqual({ wire: 'spdy', protocol: 'v4.channel.k8s.io' });
});

test.each([
  [{}, 400, 'unable to upgrade: missing upgrade headers in request'],
  [{ upgrade: 'h2c' }, 400, 'unable to upgrade: missing upgrade headers in request'],
  [
    { upgrade: 'SPDY/3.1' },
    400,
    'unable to upgrade: header X-Stream-Protocol-Version does not exist in request with 2 headers',
  ],
  [
    { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': ',' },
    400,
    'unable to upgrade: header X-Stream-Protocol-Version contains [,], but no valid protocols',
  ],
  [
    { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v9' },
    403,
    'unable to upgrade: unable to negotiate protocol: client supports [v9], server accepts ' +
      '[v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]',
  ],
  [
    { upgrade: 'websocket', 'sec-websocket-protocol': 'chat' },
    403,
    'requested protocol(s) are not supported: [chat]; supports [v5.channel.k8s.io v4.channel.k8s.io ' +
      'v4.base64.channel.k8s.io channel.k8s.io base64.channel.k8s.io]',
  ],
])('%o is refused with the message of the kubelet', (headers, code, message) => {
  expect(ask('exec', headers as Record<string, string>)).toMatchObject({ code, message });
});
