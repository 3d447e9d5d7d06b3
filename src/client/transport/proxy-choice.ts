/**
 * Chooses the proxy for a server from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as other Kubernetes clients do.
 * For a server on this machine no proxy is used.
 */
import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFor(server: string, environment: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return undefined;
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(environment, name);
  if (proxy === '') return undefined;
  const exceptions = read(environment, 'NO_PROXY').split(',');
  if (exceptions.some((one) => isException(one.trim().toLowerCase(), host, port))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** The variable in upper or lower case. */
function read(environment: Environment, name: string): string {
  return (environment[name] ?? environment[name.toLowerCase()] ?? '').trim();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Matches an entry of NO_PROXY: a host, a domain with all its hosts, an address, a network such as
 * `10.0.0.0/8`, or `*`.
 */
function isException(text: string, host: string, port: string): boolean {
  if (text === '') return false;
  if (text === '*') return true;
  const [network = '', bits = ''] = text.split('/');
  if (isIP(network) > 0 && /^\d{1,3}$/.test(bits)) return isInNetwork(host, network, Number(bits));
  const [, name = text, onlyPort] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  const isDomainOnly = domain !== name;
  return (host === domain && !isDomainOnly) || (isIP(host) === 0 && host.endsWith(`.${domain}`));
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const type = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(host) === 0 || bits > (type === 'ipv6' ? 128 : 32)) return false;
  const block = new BlockList();
  block.addSubnet(network, bits, type);
  return block.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
