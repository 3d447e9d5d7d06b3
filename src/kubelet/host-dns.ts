/**
 * The DNS config of the node itself, for pods that use the same (dnsPolicy Default).
 *
 * A pod with its own network cannot reach a server at 127.0.0.53, which listens on the machine's loopback
 * interface. Where systemd-resolved is that server, it writes its upstream servers into another file, which
 * is used instead; kubeadm sets the kubelet's resolvConf to the same file.
 *
 * The file may change at any time, so it is read again and again; but the pods of one burst share one read.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.ts';
import type { DnsConfig } from '../ports/runtime/sandbox-config.ts';
import { parseResolvConf } from './volumes/payload/resolv-conf.ts';

export interface HostDnsOptions {
  readonly clock: Clock;
  /** In the form of resolv.conf; empty: the node is configured to have none. */
  readonly file: string;
  readonly hostIPs: () => readonly string[];
  /** Read instead if `file` names only servers of the loopback interface; absent: never. */
  readonly upstreamFile?: string | undefined;
}

const FRESH_MS = 1000;

export function hostDnsReader(options: HostDnsOptions): () => Promise<DnsConfig> {
  const { clock } = options;
  let known: Promise<DnsConfig> | null = null;
  let readAtMs = 0;
  return () => {
    const nowMs = clock.monotonic();
    if (!known || nowMs - readAtMs >= FRESH_MS) {
      known = readHostDns(options);
      readAtMs = nowMs;
    }
    return known;
  };
}

/**
 * A node whose file is missing has no servers; one that is configured to have none uses itself, and has no
 * search domains.
 */
async function readHostDns(options: HostDnsOptions): Promise<DnsConfig> {
  const { file, hostIPs, upstreamFile } = options;
  if (file !== '') {
    const found = await readDns(file);
    if (upstreamFile === undefined || !asksLoopbackOnly(found)) return found;
    const upstream = await readDns(upstreamFile);
    return upstream.servers.length > 0 ? upstream : found;
  }
  const servers = hostIPs().map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1'));
  return { servers: servers.length > 0 ? servers : ['127.0.0.1'], searches: ['.'], options: [] };
}

/** No server can be reached from another network than the machine's own. */
export function asksLoopbackOnly({ servers }: Pick<DnsConfig, 'servers'>): boolean {
  return servers.length > 0 && servers.every((ip) => ip === '::1' || ip.startsWith('127.'));
}

async function readDns(file: string): Promise<DnsConfig> {
  return parseResolvConf(await readFile(file, 'utf8').catch(() => ''));
}
