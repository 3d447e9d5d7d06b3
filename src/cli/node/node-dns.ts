/**
 * Chooses the resolv.conf for pods: if the machine's DNS server listens on loopback only, pods with their own
 * network cannot reach it, so the upstream servers of systemd-resolved are used.
 */
import { asksLoopbackOnly, hostDnsReader } from '../../kubelet/host-dns.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DnsConfig } from '../../ports/runtime/sandbox-config.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';

export interface NodeDnsOptions {
  readonly config: Pick<KubeletConfig, 'resolvConf'>;
  /** Pods have their own network, and so another loopback interface than the machine. */
  readonly hasPodAddresses: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly hostIPs: () => readonly string[];
}

/** The machine's own file, which is the kubelet's default too: a setting of the operator is obeyed. */
const MACHINE_FILE = '/etc/resolv.conf';
/** What systemd-resolved writes: the servers behind its own at 127.0.0.53. */
const UPSTREAM_FILE = '/run/systemd/resolve/resolv.conf';

export async function nodeDnsReader(options: NodeDnsOptions): Promise<() => Promise<DnsConfig>> {
  const { clock, log, config, hostIPs, hasPodAddresses } = options;
  const { resolvConf: file } = config;
  const upstreamFile = hasPodAddresses && file === MACHINE_FILE ? UPSTREAM_FILE : undefined;
  const read = hostDnsReader({ clock, file, hostIPs, upstreamFile });
  if (hasPodAddresses && file !== '' && asksLoopbackOnly(await read())) {
    log.warn(
      'pods cannot resolve names: the DNS servers of this machine listen on its loopback interface; ' +
        'set resolvConf to a file with servers that pods can reach',
      { resolvConf: file, servers: (await read()).servers },
    );
  }
  return read;
}
