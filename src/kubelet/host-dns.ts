/**
 * Reads the DNS config of the node itself, for pods with dnsPolicy Default.
 *
 * A pod with its own network cannot reach a server such as 127.0.0.53, which listens on the machine's
 * loopback interface. If that server is systemd-resolved, it writes its upstream servers into another file,
 * and podkeep reads that file instead; kubeadm configures the same file as resolvConf of Kubernetes' kubelet.
 *
 * The file may change at any time, so it is read again when it was read more than a second ago; pods that
 * start together share one read.
 */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../ports/clock.ts';
import type { DnsConfig } from '../ports/runtime/sandbox-config.ts';
import { parseResolvConf } from './volumes/payload/resolv-conf.ts';

export interface HostDnsOptions {
  readonly clock: Clock;
  /** A file in the format of resolv.conf. Empty: the node is configured to have none. */
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
 * If the file is missing, the node has no servers. If the node is configured to have no file, it uses itself
 * as server, and has no search domains.
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
