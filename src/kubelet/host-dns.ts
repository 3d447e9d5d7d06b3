/**
 * What the node itself asks for names, for pods that ask the same (dnsPolicy Default).
 *
 * The file may change at any time, so it is read again and again; but the pods of one burst share what
 * was read for the first of them.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.ts';
import type { DnsConfig } from '../ports/runtime/sandbox-config.ts';
import { parseResolvConf } from './volumes/resolv-conf.ts';

export interface HostDnsOptions {
  readonly clock: Clock;
  /** In the form of resolv.conf; empty: the node is told to have none. */
  readonly file: string;
  readonly hostIPs: () => readonly string[];
}

const FRESH_MS = 1000;

export function hostDnsReader({ clock, file, hostIPs }: HostDnsOptions): () => Promise<DnsConfig> {
  let known: Promise<DnsConfig> | null = null;
  let readAtMs = 0;
  return () => {
    const nowMs = clock.monotonic();
    if (!known || nowMs - readAtMs >= FRESH_MS) {
      known = readHostDns(file, hostIPs());
      readAtMs = nowMs;
    }
    return known;
  };
}

/**
 * A node without such a file asks nobody; one that is told to have none asks itself, and has no domains
 * to search.
 */
async function readHostDns(file: string, hostIPs: readonly string[]): Promise<DnsConfig> {
  if (file !== '') return parseResolvConf(await readFile(file, 'utf8').catch(() => ''));
  const servers = hostIPs.map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1'));
  return { servers: servers.length > 0 ? servers : ['127.0.0.1'], searches: ['.'], options: [] };
}
