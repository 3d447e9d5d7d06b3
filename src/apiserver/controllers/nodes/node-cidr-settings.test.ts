import { expect, test } from 'vitest';
import { formatCidr } from './cidr.ts';
import { readNodeCidrs, type NodeCidrOptions } from './node-cidr-settings.ts';

const ON = { allocateNodeCidrs: true };

test.each<[NodeCidrOptions, readonly (readonly [string, number])[] | undefined]>([
  [{}, undefined],
  [{ ...ON, clusterCidr: '10.244.0.0/16' }, [['10.244.0.0/16', 24]]],
  [{ ...ON, clusterCidr: '10.244.0.0/16', nodeCidrMaskSize: 26 }, [['10.244.0.0/16', 26]]],
  [{ ...ON, clusterCidr: '10.244.0.0/16', nodeCidrMaskSizeIpv4: 25 }, [['10.244.0.0/16', 25]]],
  [{ ...ON, clusterCidr: 'fd00::/56' }, [['fd00::/56', 64]]],
  [
    { ...ON, clusterCidr: 'fd00::/56, 10.0.0.0/12', nodeCidrMaskSizeIpv6: 60 },
    [
      ['fd00::/56', 60],
      ['10.0.0.0/12', 24],
    ],
  ],
])('%j means %j', (options, expected) => {
  const found = readNodeCidrs(options)?.map(({ range, nodePrefix }) => [
    formatCidr(range),
    nodePrefix,
  ]);
  expect(found).toEqual(expected);
});

test.each<[NodeCidrOptions, string]>([
  [{ clusterCidr: '10.0.0.0/8' }, '--cluster-cidr needs --allocate-node-cidrs'],
  [{ nodeCidrMaskSize: 24 }, '--node-cidr-mask-size needs --allocate-node-cidrs'],
  [ON, '--allocate-node-cidrs needs --cluster-cidr'],
  [{ ...ON, clusterCidr: '10.0.0.0' }, '--cluster-cidr: "10.0.0.0" is no range of addresses'],
  [
    { ...ON, clusterCidr: '10.0.0.0/16,10.1.0.0/16' },
    '--cluster-cidr is one range, or one of each IP family',
  ],
  [
    { ...ON, clusterCidr: '10.0.0.0/16,fd00::/56', nodeCidrMaskSize: 24 },
    'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
  ],
  [
    { ...ON, clusterCidr: '10.0.0.0/16', nodeCidrMaskSize: 24, nodeCidrMaskSizeIpv4: 24 },
    '--node-cidr-mask-size excludes --node-cidr-mask-size-ipv4 and -ipv6',
  ],
  [
    { ...ON, clusterCidr: '10.0.0.0/16', nodeCidrMaskSizeIpv6: 64 },
    '--node-cidr-mask-size-ipv6 needs an IPv6 range',
  ],
  [
    { ...ON, clusterCidr: '10.0.0.0/25' },
    'mask size of cluster CIDR (25) must be less than or equal to the mask size of nodes (24)',
  ],
  [{ ...ON, clusterCidr: '10.0.0.0/16', nodeCidrMaskSize: 40 }, 'an IPv4 mask has 32 bits at most'],
  [
    { ...ON, clusterCidr: 'fd00::/40' },
    'the mask size of nodes may exceed that of --cluster-cidr by 16 at most',
  ],
])('%j is refused', (options, message) => {
  expect(() => readNodeCidrs(options)).toThrow(
    expect.objectContaining({ code: 'NODE_CIDRS_INVALID', message }),
  );
});
