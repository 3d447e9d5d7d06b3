/** Where a probe connects to: named ports are those of the container, hosts are those of the pod. */
import { isIPv6 } from 'node:net';
import type { Container } from '../../api/pod.ts';
import { goQuote } from '../pod-runner/go-text.ts';
import type { RunContainer } from '../pod-runner/run-spec.ts';
import { probePortUnknown } from './answer.ts';

export interface ProbeAddress {
  /** Empty, as long as the pod has no address: then this machine is meant, as in Go. */
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

/** What Node is to connect to. */
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
