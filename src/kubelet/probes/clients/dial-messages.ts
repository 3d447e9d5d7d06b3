/**
 * Formats connection errors as Go does, because users know these messages from Events and search for them.
 */
import { bracketed } from '../probe-address.ts';

/** The fields that Node adds to socket errors. */
interface SocketError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

const SYSTEM_MESSAGES = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset by peer'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network is unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EINVAL', 'invalid argument'],
  ['EPIPE', 'broken pipe'],
]);

/** For a name with several addresses, the first failure counts, as in Go. */
export function socketErrorOf(error: unknown): SocketError {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first : new Error(String(first));
}

/** Null: the connection was established, and something else failed. `address` is the requested one. */
export function dialMessage(error: SocketError, address: string): string | null {
  if (error.syscall === 'getaddrinfo') return `dial tcp: lookup ${lookupMessage(error)}`;
  if (error.syscall !== 'connect') return null;
  const { address: ip, port } = error;
  // An empty host means this machine, and Go shows it empty.
  const shown = ip === undefined || address.startsWith(':') ? address : `${bracketed(ip)}:${port}`;
  return `dial tcp ${shown}: connect: ${systemMessage(error)}`;
}

export function systemMessage({ code = '', message }: SocketError): string {
  return SYSTEM_MESSAGES.get(code) ?? message;
}

function lookupMessage({ hostname = '', code }: SocketError): string {
  return `${hostname}: ${code === 'ENOTFOUND' ? 'no such host' : 'server misbehaving'}`;
}
