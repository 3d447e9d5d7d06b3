/** Parses the name in a proxy request: `name`, `name:port` or `scheme:name:port`. */
import { badRequest, type StatusError } from '../objects/status.ts';

export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** Empty: the name has no port. */
  readonly port: string;
}

const PORT_MAX = 65_535;

export function readProxyName(text: string, kind: string): ProxyName {
  const words = text.split(':');
  const [scheme = '', name = '', port = ''] = words.length === 3 ? words : ['', ...words];
  const isKnown = scheme === '' || scheme === 'http' || scheme === 'https';
  if (words.length > 3 || name === '' || !isKnown) throw invalidName(text, kind);
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}

/** For resources whose ports have no names. Null: the name has no port. */
export function readPortNumber({ port }: ProxyName, text: string, kind: string): number | null {
  if (port === '') return null;
  const number = Number(port);
  if (/^\d+$/.test(port) && number >= 1 && number <= PORT_MAX) return number;
  throw invalidName(text, kind);
}

function invalidName(text: string, kind: string): StatusError {
  return badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
}
