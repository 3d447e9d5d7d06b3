/** In a proxy request a name may be `name`, `name:port` or `scheme:name:port`. */
import { parseIp } from '../../lib/ip.ts';
import { badRequest } from '../status.ts';

export interface ProxyName {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  /** Null: it says none. */
  readonly port: number | null;
}

const PORT_MAX = 65_535;

export function readProxyName(text: string, kind: string): ProxyName {
  const words = text.split(':');
  const [scheme, name, port] =
    words.length === 3 ? words : ['', words[0] ?? '', words.length === 2 ? words[1] : ''];
  const number = Number(port);
  const isKnown = scheme === '' || scheme === 'http' || scheme === 'https';
  const isPort = port === '' || (/^\d+$/.test(port ?? '') && number >= 1 && number <= PORT_MAX);
  if (words.length > 3 || name === undefined || name === '' || !isKnown || !isPort) {
    throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
  }
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port: port === '' ? null : number };
}

/** Its own machine, its own wire, and everybody at once: none of that a proxy may be talked into. */
const LOCAL_4 = /^(?:127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|255\.255\.255\.255$)/;
const LOCAL_6 = /^(?:::1?$|fe[89ab]|ff)/;

export function isProxyable(address: string): boolean {
  const ip = parseIp(address);
  if (!ip) return false;
  return !(ip.family === 4 ? LOCAL_4 : LOCAL_6).test(ip.text);
}
