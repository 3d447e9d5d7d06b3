/**
 * What went wrong on the way to a server, in the words of Go: users know them from events, and search
 * for them.
 */
import { bracketed } from '../probe-address.ts';

/** What Node puts on errors of sockets. */
interface SocketError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

const SYSTEM_WORDS = new Map([
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

/** Of a name with several addresses, the first failure counts, as in Go. */
export function socketErrorOf(error: unknown): SocketError {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first : new Error(String(first));
}

/** Null: the connection was there; something else went wrong. `address` is what was asked for. */
export function dialWords(error: SocketError, address: string): string | null {
  if (error.syscall === 'getaddrinfo') return `dial tcp: lookup ${lookupWords(error)}`;
  if (error.syscall !== 'connect') return null;
  const { address: ip, port } = error;
  // Without a host this machine is meant, and Go shows it without one.
  const shown = ip === undefined || address.startsWith(':') ? address : `${bracketed(ip)}:${port}`;
  return `dial tcp ${shown}: connect: ${systemWords(error)}`;
}

export function systemWords({ code = '', message }: SocketError): string {
  return SYSTEM_WORDS.get(code) ?? message;
}

function lookupWords({ hostname = '', code }: SocketError): string {
  return `${hostname}: ${code === 'ENOTFOUND' ? 'no such host' : 'server misbehaving'}`;
}
