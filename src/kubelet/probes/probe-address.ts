/**
 * Resolves the address that a probe connects to: a named port is one of the container's ports, and the
 * default host is the pod's address.
 */
import { isIPv6 } from 'node:net';
import type { Container } from '../../api/pod.ts';
import { goQuote } from '../containers/config/go-text.ts';
import type { RunContainer } from '../../api/run-spec.ts';
import { probePortUnknown } from './answer.ts';

export interface ProbeAddress {
  /** Empty while the pod has no address: that means this machine, as in Go. */
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;

export function portNumber(port: number | string, container: Container): number {
  const number = typeof port === 'number' ? port : portOfName(port, container);
  if (number > 0 && number <= PORT_MAX) return number;
  throw probePortUnknown({ message: `invalid port number: ${number}` });
}

/** `host:port`, with brackets around IPv6. */
export function addressText({ host, port }: ProbeAddress): string {
  return `${bracketed(host)}:${port}`;
}

export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The host that Node connects to. */
export function dialedHost({ host }: Pick<ProbeAddress, 'host'>): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return isIPv6(bare) ? bare : host || 'localhost';
}

function portOfName(name: string, container: RunContainer): number {
  const named = container.ports?.find((port) => port.name === name);
  if (named) return named.containerPort;
  if (/^[-+]?\d+$/.test(name)) return Number(name);
  throw probePortUnknown({ message: `strconv.Atoi: parsing ${goQuote(name)}: invalid syntax` });
}
