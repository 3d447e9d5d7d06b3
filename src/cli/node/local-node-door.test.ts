import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import type { HttpHandler, Visitor } from '../../ports/http-handler.ts';
import { LocalNodeDoor } from './local-node-door.ts';

function doorWith(...pods: readonly JsonObject[]): {
  readonly door: LocalNodeDoor;
  readonly visitors: Visitor[];
} {
  const visitors: Visitor[] = [];
  const kubelet: HttpHandler = {
    answer: async (_request, visitor) => {
      visitors.push(visitor);
      return { status: 200, headers: [], body: JSON.stringify({ items: pods }) };
    },
    connect: async () => {},
  };
  const door = new LocalNodeDoor(() => expect.unreachable('no other node is meant'));
  door.open('n1', kubelet);
  return { door, visitors };
}

function podWith(ip: string, spec: JsonObject = {}): JsonObject {
  return { metadata: { name: 'a', namespace: 'b' }, spec, status: { podIPs: [{ ip }] } };
}

describe('the way to the kubelet of this process', () => {
  it('is taken by a user that has no group of administrators', async () => {
    const { door, visitors } = doorWith();
    const request = { method: 'GET', url: 'https://node/', headers: new Headers(), body: null };
    await door.fetch({ type: 'kubelet', node: { metadata: { name: 'n1' } } }, request);
    expect(visitors).toEqual([
      { user: { name: 'kube-apiserver-kubelet-client', groups: ['system:authenticated'] } },
    ]);
  });

  it('knows which node it leads to', () => {
    const { door } = doorWith();
    expect([door.isLocal('n1'), door.isLocal('n2')]).toEqual([true, false]);
  });
});

describe('loopback addresses of a pod', () => {
  it('are those that the kubelet gave it', async () => {
    const { door } = doorWith(podWith('127.9.8.7'));
    expect(await door.loopbackAddressesOf('b', 'a')).toEqual(['127.9.8.7']);
    expect(await door.loopbackAddressesOf('other', 'a')).toEqual([]);
  });

  it.each([
    ['an address of the whole machine', podWith('127.0.0.1')],
    ['an address of a network', podWith('10.1.2.3')],
    ['the network of the machine', podWith('127.9.8.7', { hostNetwork: true })],
  ])('are none if it has %s', async (_name, pod) => {
    const { door } = doorWith(pod);
    expect(await door.loopbackAddressesOf('b', 'a')).toEqual([]);
  });
});
