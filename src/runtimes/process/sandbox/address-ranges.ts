/**
 * The addresses of a runtime's pods, derived from the key of its folder (pure):
 *
 *     10.224.0.0 to 10.239.255.0    4096 subnets of 256 addresses, for pods with their own network
 *     127.1.0.0 to 127.253.255.0    16 blocks of 256 addresses, for pods on the machine's network
 *
 * Runtimes in different folders almost always have different ranges. Where the ranges must differ, as for the
 * nodes of one podkeep, `rangesOverlap` checks a folder.
 */
import { keyOf } from '../layout.ts';

export const SUBNETS = 4096;
export const LOOPBACK_BLOCKS = 16;
const SUBNET_PREFIX = 24;
const LOOPBACK_FIRSTS = 253;
const LOOPBACK_SECONDS = 256;

/** The subnet that a runtime tries first. */
export function firstSubnet(key: string): number {
  return Number.parseInt(key, 16) % SUBNETS;
}

/** The first three numbers of the addresses of a block. */
export function loopbackNet(key: string, block: number): string {
  const { first, second } = loopbackStart(key);
  return `127.${first}.${(second + block) % LOOPBACK_SECONDS}`;
}

export function subnetText(subnet: number): string {
  return `${netOf(subnet)}.0/${SUBNET_PREFIX}`;
}

export function gatewayOf(subnet: number): string {
  return `${netOf(subnet)}.1`;
}

/** `host`: from 0. */
export function podAddress(subnet: number, host: number): string {
  return `${netOf(subnet)}.${host + 2}`;
}

/** The number of our subnet that has the address; -1: none. */
export function subnetOf(address: string): number {
  const [a = 0, b = 0, c = 0] = address.split('.').map(Number);
  return a === 10 && b >= 224 && b < 240 ? (b - 224) * 256 + c : -1;
}

/** Whether pods of runtimes in these two folders could get the same address. */
export function rangesOverlap(oneFolder: string, otherFolder: string): boolean {
  const [one, other] = [keyOf(oneFolder), keyOf(otherFolder)];
  if (firstSubnet(one) === firstSubnet(other)) return true;
  const [a, b] = [loopbackStart(one), loopbackStart(other)];
  const apart = Math.abs(a.second - b.second);
  return a.first === b.first && Math.min(apart, LOOPBACK_SECONDS - apart) < LOOPBACK_BLOCKS;
}

function loopbackStart(key: string): { readonly first: number; readonly second: number } {
  return {
    first: 1 + (Number.parseInt(key.slice(0, 2), 16) % LOOPBACK_FIRSTS),
    second: Number.parseInt(key.slice(2, 4), 16),
  };
}

function netOf(subnet: number): string {
  return `10.${224 + (subnet >> 8)}.${subnet & 255}`;
}
