/** Who listens on this machine, as far as /proc tells: to name a clash before it looks like a crash. */
import { readFileSync } from 'node:fs';

const LISTENING = '0A';
const ANY_ADDRESS = /^0+$/;

/** Whether a program that wants `port` on `ip`, or on all addresses, would be refused. */
export function isPortTaken(port: number, ip: string): boolean {
  const wanted = hexOf(ip);
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) =>
    parseListeners(readTable(file)).some(
      (each) => each.port === port && (ANY_ADDRESS.test(each.address) || each.address === wanted),
    ),
  );
}

export function parseListeners(
  text: string,
): readonly { readonly address: string; readonly port: number }[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === LISTENING ? [{ address, port: Number.parseInt(port, 16) }] : [];
    });
}

/** The kernel prints an address as a number of this machine's byte order, which is little-endian. */
function hexOf(ip: string): string {
  return ip
    .split('.')
    .toReversed()
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

function readTable(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
