/**
 * Decides to which addresses a proxy may connect: those of one other machine (global unicast, including
 * private ranges), but not its own machine (loopback, unspecified), its own link (link-local) or several
 * machines (multicast, broadcast).
 */
import { parseIp } from './ip.ts';

const LOCAL_4 = /^(?:127\.|169\.254\.|22[4-9]\.|23\d\.|0\.0\.0\.0$|255\.255\.255\.255$)/;
const LOCAL_6 = /^(?:::1?$|fe[89ab]|ff)/;

/** False for a text that is not an address, such as a host name. */
export function isGlobalUnicast(address: string): boolean {
  const ip = parseIp(address);
  if (!ip) return false;
  return !(ip.family === 4 ? LOCAL_4 : LOCAL_6).test(ip.text);
}

/** Whether only this machine can reach the address. */
export function isLoopback(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && (ip.family === 4 ? ip.text.startsWith('127.') : ip.text === '::1');
}
