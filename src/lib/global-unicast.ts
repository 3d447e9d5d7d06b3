/**
 * Which addresses a proxy may be directed to: those of one other machine (global unicast, private ranges
 * included). Not its own machine (loopback, unspecified), not its own link (link-local), not all
 * machines (multicast, broadcast).
 */
import { parseIp } from './ip.ts';

const LOCAL_4 = /^(?:127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|255\.255\.255\.255$)/;
const LOCAL_6 = /^(?:::1?$|fe[89ab]|ff)/;

/** False for texts that are no address, such as a name. */
export function isGlobalUnicast(address: string): boolean {
  const ip = parseIp(address);
  if (!ip) return false;
  return !(ip.family === 4 ? LOCAL_4 : LOCAL_6).test(ip.text);
}

/** An address of this machine that only this machine can reach. */
export function isLoopback(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && (ip.family === 4 ? ip.text.startsWith('127.') : ip.text === '::1');
}
