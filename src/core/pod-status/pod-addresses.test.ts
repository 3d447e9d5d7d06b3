import { describe, expect, test } from 'vitest';
import { podOf } from '../../../test/support/pod-parts.ts';
import { podAddresses } from './pod-addresses.ts';

const V4 = '192.168.0.1';
const V6 = 'fd00::1';

/** The addresses of an ordinary pod, or of one in the host's network. */
function podIPs(runtimeIPs: readonly string[], hostIPs: readonly string[], hostNetwork = false) {
  const { podIP, podIPs: all } = podAddresses(podOf({ hostNetwork }), runtimeIPs, hostIPs);
  expect(podIP).toBe(all?.[0]?.ip);
  return all?.map(({ ip }) => ip);
}

describe('KL-29: the addresses of the node', () => {
  test('the first is the address, and there are two at most', () => {
    expect(podAddresses(podOf(), [], [V4])).toEqual({ hostIP: V4, hostIPs: [{ ip: V4 }] });
    expect(podAddresses(podOf(), [], [V6, V4, '192.168.0.2'])).toEqual({
      hostIP: V6,
      hostIPs: [{ ip: V6 }, { ip: V4 }],
    });
  });

  test('they are normalised, as the pod’s are', () => {
    expect(podAddresses(podOf({ hostNetwork: true }), [], ['FD00:0:0::1', '192.168.0.01'])).toEqual(
      {
        hostIP: V6,
        hostIPs: [{ ip: V6 }, { ip: V4 }],
        podIP: V6,
        podIPs: [{ ip: V6 }, { ip: V4 }],
      },
    );
  });

  test('while they are unknown, none are reported', () => {
    expect(podAddresses(podOf(), [], [])).toEqual({});
    expect(podAddresses(podOf({ hostNetwork: true }), [], [])).toEqual({});
  });
});

describe('KL-29: an ordinary pod shows one address per family, the node’s first in front', () => {
  test.each([
    ['one address', ['10.0.0.1'], [V4], ['10.0.0.1']],
    ['both, in order', ['10.0.0.1', 'fd01::1'], [V4], ['10.0.0.1', 'fd01::1']],
    ['both, turned round', ['fd01::1', '10.0.0.1'], [V4], ['10.0.0.1', 'fd01::1']],
    ['both, on a node of eight groups', ['10.0.0.1', 'fd01::1'], [V6], ['fd01::1', '10.0.0.1']],
    [
      'more than one of a family',
      ['10.0.0.2', '10.0.0.1', 'fd01::2', 'fd01::1'],
      [V4],
      ['10.0.0.2', 'fd01::2'],
    ],
    ['only the other family', ['fd01::1'], [V4], ['fd01::1']],
    [
      'a node that is not known counts as four numbers',
      ['fd01::1', '10.0.0.1'],
      [],
      ['10.0.0.1', 'fd01::1'],
    ],
  ])('%s', (_name, runtimeIPs, hostIPs, expected) => {
    expect(podIPs(runtimeIPs, hostIPs)).toEqual(expected);
  });

  test('without an address there is none, not the node’s', () => {
    expect(podIPs([], [V4, V6])).toBeUndefined();
  });

  test('odd spellings are normalised, and invalid addresses are skipped', () => {
    expect(podIPs(['', 'nonsense', '10.0.0.07', 'FD01:0:0::1'], [V4])).toEqual([
      '10.0.0.7',
      'fd01::1',
    ]);
  });
});

describe('KL-29: a pod in the host’s network has the node’s addresses', () => {
  test('the first, and the second if it is of the other family', () => {
    expect(podIPs([], [V4], true)).toEqual([V4]);
    expect(podIPs([], [V4, V6], true)).toEqual([V4, V6]);
    expect(podIPs([], [V6, V4], true)).toEqual([V6, V4]);
    expect(podIPs([], [V4, '192.168.0.2'], true)).toEqual([V4]);
  });

  test('once set they stay, though the node moved', () => {
    expect(podIPs(['192.168.0.9'], [V4], true)).toEqual(['192.168.0.9']);
  });

  test('a second family may join later, but replaces nothing', () => {
    expect(podIPs([V4], [V4, V6], true)).toEqual([V4, V6]);
    expect(podIPs(['192.168.0.9'], [V4, V6], true)).toEqual(['192.168.0.9', V6]);
    expect(podIPs(['192.168.0.9', 'fd00::9'], [V4, V6], true)).toEqual(['192.168.0.9', 'fd00::9']);
    expect(podIPs([V6], [V4, V6], true)).toEqual([V6]);
  });
});
