/**
 * Determines the ranges from which nodes get the addresses of their pods, by the options of
 * kube-controller-manager: `--allocate-node-cidrs`, `--cluster-cidr` and the mask sizes. One range, or one of
 * each family.
 */
import { defineError } from '../../../lib/errors.ts';
import { bitsOfFamily, parseCidr, type Cidr } from './cidr.ts';
import { BLOCK_BITS_MAX, type NodeCidrRange } from './cidr-pool.ts';

export interface NodeCidrOptions {
  readonly allocateNodeCidrs?: boolean;
  /** One range or two, with a comma between them. */
  readonly clusterCidr?: string;
  /** Absent: 24 for IPv4, 64 for IPv6. */
  readonly nodeCidrMaskSize?: number;
  readonly nodeCidrMaskSizeIpv4?: number;
  readonly nodeCidrMaskSizeIpv6?: number;
}

const MASK_SIZES = { 4: 24, 6: 64 } as const;

/** As in kube-controller-manager: an IPv6 range has 65,536 blocks at most. */
const BLOCK_BITS_MAX_IPV6 = 16;

const nodeCidrsInvalid = defineError<{ reason: string }>({
  code: 'NODE_CIDRS_INVALID',
  retry: 'never',
  message: ({ reason }) => reason,
  hint: () => 'For example: --allocate-node-cidrs --cluster-cidr 10.244.0.0/16',
});

/** Undefined: nodes get no addresses. Throws NODE_CIDRS_INVALID. */
export function readNodeCidrs(options: NodeCidrOptions): readonly NodeCidrRange[] | undefined {
  const { allocateNodeCidrs = false, clusterCidr } = options;
  if (!allocateNodeCidrs) {
    const given = NEEDING.find(([name]) => options[name] !== undefined);
    if (given) throw refused(`${given[1]} needs --allocate-node-cidrs`);
    return undefined;
  }
  if (clusterCidr === undefined) throw refused('--allocate-node-cidrs needs --cluster-cidr');
  const ranges = clusterCidr.split(',').map(readRange);
  const families = new Set(ranges.map(({ family }) => family));
  if (families.size !== ranges.length) {
    throw refused('--cluster-cidr is one range, or one of each IP family');
  }
  checkMaskOptions(options, ranges);
  return ranges.map((range) => ({ range, nodePrefix: nodePrefixOf(options, range) }));
}

const NEEDING = [
  ['clusterCidr', '--cluster-cidr'],
  ['nodeCidrMaskSize', '--node-cidr-mask-size'],
  ['nodeCidrMaskSizeIpv4', '--node-cidr-mask-size-ipv4'],
  ['nodeCidrMaskSizeIpv6', '--node-cidr-mask-size-ipv6'],
] as const;

function readRange(text: string): Cidr {
  const range = parseCidr(text.trim());
  if (!range) throw refused(`--cluster-cidr: ${JSON.stringify(text)} is no range of addresses`);
  return range;
}

function checkMaskOptions(options: NodeCidrOptions, ranges: readonly Cidr[]): void {
  const { nodeCidrMaskSize: both, nodeCidrMaskSizeIpv4: v4, nodeCidrMaskSizeIpv6: v6 } = options;
  if (both !== undefined && ranges.length > 1) {
    throw refused('usage of --node-cidr-mask-size is not allowed with dual-stack clusters');
  }
  if (both !== undefined && (v4 ?? v6) !== undefined) {
    throw refused('--node-cidr-mask-size excludes --node-cidr-mask-size-ipv4 and -ipv6');
  }
  for (const [family, size] of [
    [4, v4],
    [6, v6],
  ] as const) {
    if (size === undefined || ranges.some((range) => range.family === family)) continue;
    throw refused(`--node-cidr-mask-size-ipv${family} needs an IPv${family} range`);
  }
}

function nodePrefixOf(options: NodeCidrOptions, range: Cidr): number {
  const { family, prefix } = range;
  const own = family === 4 ? options.nodeCidrMaskSizeIpv4 : options.nodeCidrMaskSizeIpv6;
  const size = options.nodeCidrMaskSize ?? own ?? MASK_SIZES[family];
  if (size > bitsOfFamily(family)) {
    throw refused(`an IPv${family} mask has ${bitsOfFamily(family)} bits at most`);
  }
  if (size < prefix) {
    throw refused(
      `mask size of cluster CIDR (${prefix}) must be less than or equal to the mask size of nodes (${size})`,
    );
  }
  const bitsMax = family === 4 ? BLOCK_BITS_MAX : BLOCK_BITS_MAX_IPV6;
  if (size - prefix > bitsMax) {
    throw refused(`the mask size of nodes may exceed that of --cluster-cidr by ${bitsMax} at most`);
  }
  return size;
}

function refused(reason: string): Error {
  return nodeCidrsInvalid({ reason });
}
