/**
 * Options of `podkeep up` by which each node gets a range of addresses for its pods. kube-controller-manager
 * has the same options.
 */
import { Option, type Command } from 'commander';
import { readCount } from '../option-values.ts';

export function addNodeCidrOptions(command: Command): Command {
  return command
    .option(
      '--allocate-node-cidrs',
      'give every node a range of addresses for its pods (spec.podCIDRs), for network plugins',
    )
    .option(
      '--cluster-cidr <ranges>',
      'the addresses of all pods: 10.244.0.0/16, or one range of each IP family with a comma',
    )
    .addOption(
      new Option(
        '--node-cidr-mask-size <bits>',
        'mask size of the range of a node; by default 24, and 64 for IPv6',
      ).argParser(readCount),
    )
    .addOption(
      new Option(
        '--node-cidr-mask-size-ipv4 <bits>',
        'the same for IPv4, if there are both families',
      ).argParser(readCount),
    )
    .addOption(
      new Option(
        '--node-cidr-mask-size-ipv6 <bits>',
        'the same for IPv6, if there are both families',
      ).argParser(readCount),
    );
}
