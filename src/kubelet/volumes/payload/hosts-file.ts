/**
 * Builds the text of a pod's /etc/hosts. On the host network it is the node's file plus the pod's
 * hostAliases; otherwise it has the pod's IPs, hostname and hostAliases.
 */
import type { Pod } from '../../../api/pod.ts';
import { inputSpecOf, type HostAlias } from '../../../core/environment/input-spec.ts';

const HEADER = '# Kubernetes-managed hosts file.\n';
const HOST_NETWORK_HEADER = '# Kubernetes-managed hosts file (host network).\n';
const LOCAL = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];
const HOSTNAME_LENGTH_MAX = 63;

/** A pod that has no IP yet gets no hosts file. */
export function needsHostsFile(pod: Pod, podIPs: readonly string[]): boolean {
  return podIPs.length > 0 || (pod.spec.hostNetwork ?? false);
}

export function managedHosts(pod: Pod, podIPs: readonly string[], clusterDomain: string): string {
  const names = namesOf(pod, clusterDomain);
  const own = podIPs.map((ip) => `${ip}\t${names.join('\t')}`);
  return `${HEADER}${lines([...LOCAL, ...own])}${aliasLines(inputSpecOf(pod).hostAliases)}`;
}

/** `nodeHosts` is the content of the node's own file. */
export function hostNetworkHosts(pod: Pod, nodeHosts: string): string {
  return `${HOST_NETWORK_HEADER}${nodeHosts}${aliasLines(inputSpecOf(pod).hostAliases)}`;
}

/** The full name comes first, if the pod has one. */
function namesOf(pod: Pod, clusterDomain: string): readonly string[] {
  const { hostname, subdomain, hostnameOverride } = inputSpecOf(pod);
  const { name = '', namespace = '' } = pod.metadata;
  if (hostnameOverride) return [cut(hostnameOverride)];
  const short = cut(hostname || name);
  if (!subdomain) return [short];
  return [`${short}.${subdomain}.${namespace}.svc.${clusterDomain}`, short];
}

/** Cuts a hostname that is too long, so that it does not end in a dash or a dot. */
function cut(name: string): string {
  if (name.length <= HOSTNAME_LENGTH_MAX) return name;
  return name.slice(0, HOSTNAME_LENGTH_MAX).replace(/[-.]+$/, '');
}

function aliasLines(aliases: readonly HostAlias[] = []): string {
  if (aliases.length === 0) return '';
  const entries = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`);
  return `\n# Entries added by HostAliases.\n${lines(entries)}`;
}

function lines(list: readonly string[]): string {
  return list.map((line) => `${line}\n`).join('');
}
