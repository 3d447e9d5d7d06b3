/**
 * Computes the DNS config of a pod from its dnsPolicy:
 *
 *     ClusterFirst             the cluster's servers; with the host's network, as Default
 *     ClusterFirstWithHostNet  the cluster's servers in any case
 *     Default                  the node's own servers
 *     None                     only those of dnsConfig
 *
 * dnsConfig is added to all of them. Linux reads three servers and 32 search domains of at most 2048
 * characters: the rest is dropped, and the pod gets a warning.
 */
import type { Pod } from '../../../api/pod.ts';
import type { DnsConfig } from '../../../ports/runtime/sandbox-config.ts';
import { podReferenceOf, podTitle, runSpecOf, type PodDnsConfig } from '../../../api/run-spec.ts';

export interface DnsSettings {
  /** Empty: this cluster has none. */
  readonly clusterServers: readonly string[];
  readonly clusterDomain: string;
  /**
   * The cluster has no DNS by design. Then only a pod with ClusterFirstWithHostNet is warned: the API
   * server writes ClusterFirst into every pod. Absent: the cluster should have DNS.
   */
  readonly isWithoutDns?: boolean;
  /** The content of the node's resolv.conf. */
  readonly host: DnsConfig;
}

export interface PodDns {
  readonly dns: DnsConfig;
  /** Warnings for the users of the pod: reason and message of Events. */
  readonly warnings: readonly DnsWarning[];
}

export interface DnsWarning {
  readonly reason: string;
  /** Absent: the pod is not warned. */
  readonly message?: string;
  /** The message of an additional Event on the node. */
  readonly ofNode?: string;
}

const SERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;
/** A longer search domain makes some resolvers abort. */
const SEARCH_LENGTH_MAX = 253;
/** Means "no domains" where the node has no resolv.conf. */
const NO_SEARCH = '.';
const CLUSTER_OPTIONS = ['ndots:5'];

export function podDns(pod: Pod, settings: DnsSettings): PodDns {
  const { dnsConfig, dnsPolicy = 'ClusterFirst', hostNetwork = false } = runSpecOf(pod);
  const wantsCluster =
    dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  const lacksCluster = wantsCluster && settings.clusterServers.length === 0;
  const isExpected = (settings.isWithoutDns ?? false) && dnsPolicy === 'ClusterFirst';
  const base =
    dnsPolicy === 'None'
      ? { servers: [], searches: [], options: [] }
      : wantsCluster && !lacksCluster
        ? clusterDns(pod, settings)
        : settings.host;
  const joined = dnsConfig ? withDnsConfig(base, dnsConfig) : base;
  const fitted = fitLimits(joined);
  return {
    dns: fitted.dns,
    warnings: [...(lacksCluster ? [missingClusterDns(pod, isExpected)] : []), ...fitted.warnings],
  };
}

function clusterDns(pod: Pod, { clusterServers, clusterDomain, host }: DnsSettings): DnsConfig {
  const { namespace } = podReferenceOf(pod);
  const own = clusterDomain
    ? [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain]
    : [];
  return {
    servers: clusterServers,
    searches: distinct([...own, ...host.searches.filter((search) => search !== NO_SEARCH)]),
    options: CLUSTER_OPTIONS,
  };
}

function withDnsConfig(base: DnsConfig, config: PodDnsConfig): DnsConfig {
  const { nameservers = [], searches = [], options = [] } = config;
  return {
    servers: distinct([...base.servers, ...nameservers]),
    searches: distinct([...base.searches, ...searches]),
    options: mergeOptions(base.options, options),
  };
}

/** An option of the pod replaces one with the same name. */
function mergeOptions(
  base: readonly string[],
  options: NonNullable<PodDnsConfig['options']>,
): readonly string[] {
  const byName = new Map(base.map((option) => [option.split(':')[0] ?? option, option]));
  for (const { name = '', value = '' } of options) {
    byName.set(name, value === '' ? name : `${name}:${value}`);
  }
  return [...byName.values()];
}

function fitLimits(dns: DnsConfig): PodDns {
  const servers = dns.servers.slice(0, SERVERS_MAX);
  const searches = fitSearches(dns.searches);
  const warnings = [
    ...(servers.length < dns.servers.length
      ? [
          {
            reason: 'DNSConfigForming',
            message:
              'Nameserver limits were exceeded, some nameservers have been omitted, ' +
              `the applied nameserver line is: ${servers.join(' ')}`,
          },
        ]
      : []),
    ...(searches.length < dns.searches.length
      ? [
          {
            reason: 'DNSConfigForming',
            message:
              'Search Line limits were exceeded, some search paths have been omitted, ' +
              `the applied search line is: ${searches.join(' ')}`,
          },
        ]
      : []),
  ];
  return { dns: { ...dns, servers, searches }, warnings };
}

function fitSearches(searches: readonly string[]): readonly string[] {
  const fitting: string[] = [];
  let length = -1;
  for (const search of searches.slice(0, SEARCHES_MAX)) {
    if (search.length > SEARCH_LENGTH_MAX) continue;
    length += search.length + 1;
    if (length > SEARCH_CHARACTERS_MAX) break;
    fitting.push(search);
  }
  return fitting;
}

/** The message names ClusterFirst, whichever of the two policies the pod has. */
function missingClusterDns(pod: Pod, isExpected: boolean): DnsWarning {
  const ofNode =
    'kubelet does not have ClusterDNS IP configured and cannot create Pod using ' +
    '"ClusterFirst" policy. Falling back to "Default" policy.';
  const message = `pod: "${podTitle(podReferenceOf(pod))}". ${ofNode}`;
  return { reason: 'MissingClusterDNS', ...(!isExpected && { message }), ofNode };
}

function distinct(list: readonly string[]): readonly string[] {
  return [...new Set(list)];
}
