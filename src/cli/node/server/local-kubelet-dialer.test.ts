import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import type { HttpHandler, ClientIdentity } from '../../../ports/api/http-handler.ts';
import { LocalKubeletDialer } from './local-kubelet-dialer.ts';

function dialerWith(...pods: readonly JsonObject[]): {
  readonly dialer: LocalKubeletDialer;
  readonly clientIdentities: ClientIdentity[];
} {
  const clientIdentities: ClientIdentity[] = [];
  const kubelet: HttpHandler = {
    answer: async (_request, clientIdentity) => {
      clientIdentities.push(clientIdentity);
      return { status: 200, headers: [], body: JSON.stringify({ items: pods }) };
    },
    connect: async () => {},
  };
  const dialer = new LocalKubeletDialer(() => expect.unreachable('no other node is meant'));
  dialer.open('n1', kubelet);
  return { dialer, clientIdentities };
}

function podWith(ip: string, spec: JsonObject = {}): JsonObject {
  return { metadata: { name: 'a', namespace: 'b' }, spec, status: { podIPs: [{ ip }] } };
}

describe('the connection to the kubelet of this process', () => {
  it('uses a user that has no group of administrators', async () => {
    const { dialer, clientIdentities } = dialerWith();
    const request = { method: 'GET', url: 'https://node/', headers: new Headers(), body: null };
    await dialer.fetch({ type: 'kubelet', node: { metadata: { name: 'n1' } } }, request);
    expect(clientIdentities).toEqual([
      { user: { name: 'kube-apiserver-kubelet-client', groups: ['system:authenticated'] } },
    ]);
  });

  it('knows its node', () => {
    const { dialer } = dialerWith();
    expect([dialer.isLocal('n1'), dialer.isLocal('n2')]).toEqual([true, false]);
  });

  it('leads to the node that is meant, until that is closed', async () => {
    const { dialer } = dialerWith();
    const kubelet: HttpHandler = {
      answer: async () => ({ status: 200, headers: [], body: 'second' }),
      connect: async () => {},
    };
    dialer.open('n2', kubelet);
    const request = { method: 'GET', url: 'https://node/', headers: new Headers(), body: null };
    const node = { metadata: { name: 'n2' } };
    expect(await dialer.fetch({ type: 'kubelet', node }, request)).toMatchObject({
      body: 'second',
    });
    dialer.close('n2');
    expect([dialer.isLocal('n1'), dialer.isLocal('n2')]).toEqual([true, false]);
  });
});

describe('loopback addresses of a pod', () => {
  it('are those that the kubelet gave it', async () => {
    const { dialer } = dialerWith(podWith('127.9.8.7'));
    expect(await dialer.loopbackAddressesOf('b', 'a')).toEqual(['127.9.8.7']);
    expect(await dialer.loopbackAddressesOf('other', 'a')).toEqual([]);
  });

  it.each([
    ['an address of the whole machine', podWith('127.0.0.1')],
    ['an address of a network', podWith('10.1.2.3')],
    ['the network of the machine', podWith('127.9.8.7', { hostNetwork: true })],
  ])('are none if it has %s', async (_name, pod) => {
    const { dialer } = dialerWith(pod);
    expect(await dialer.loopbackAddressesOf('b', 'a')).toEqual([]);
  });
});

describe('the ports of a pod with a loopback address', () => {
  const request = { method: 'GET', url: 'https://node/', headers: new Headers(), body: null };
  const backend = { type: 'address', scheme: 'http', host: '127.9.8.7', port: 22 } as const;

  it('are refused where the machine listens, and not the pod', async () => {
    const { dialer } = dialerWith();
    const kubelet = {
      answer: () => expect.unreachable('no kubelet is meant'),
      connect: async () => {},
    };
    dialer.open('n1', kubelet, async () => false);
    await expect(dialer.fetch(backend, request)).rejects.toThrow(
      'dial tcp 127.9.8.7:22: connect: connection refused',
    );
  });

  it('are dialled where the pod listens', async () => {
    const others = {
      fetch: async () => ({ status: 200, headers: [], body: null }),
      connect: async () => {},
    };
    const dialer = new LocalKubeletDialer(() => others);
    const kubelet = {
      answer: () => expect.unreachable('no kubelet is meant'),
      connect: async () => {},
    };
    dialer.open('n1', kubelet, async (ip, port) => ip === '127.9.8.7' && port === 22);
    expect(await dialer.fetch(backend, request)).toMatchObject({ status: 200 });
  });
});
