/**
 * Reads listening sockets of this machine from /proc: to name a port conflict before it looks like a crash,
 * and to keep clients of a pod that shares the machine's network away from other listeners.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface Listener {
  /** As the kernel prints it. */
  readonly address: string;
  readonly port: number;
  /** The number of the socket. */
  readonly inode: string;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTENING = '0A';
const ANY_ADDRESS = /^0+$/;
const ANY_V4 = '00000000';
/** The prefix of IPv4 addresses in IPv6 sockets. */
const MAPPED = '0000000000000000FFFF0000';

/** Whether a program that wants `port` on `ip`, or on all addresses, would be refused. */
export function isPortTaken(port: number, ip: string): boolean {
  const wanted = hexOf(ip);
  return readListeners().some(
    (each) => each.port === port && (ANY_ADDRESS.test(each.address) || each.address === wanted),
  );
}

/** The first port that every user of this machine may listen on. */
export function unprivilegedPortStart(): number {
  return Number(readTable('/proc/sys/net/ipv4/ip_unprivileged_port_start') || '1024');
}

/**
 * Whether only these sockets answer connections to `port` of `ip`. The kernel prefers a listener on that
 * address to one on all IPv4 addresses, and that to one on all addresses.
 */
export function areListeners(
  sockets: ReadonlySet<string>,
  { ip, port }: { readonly ip: string; readonly port: number },
  tables: readonly Listener[] = readListeners(),
): boolean {
  const wanted = hexOf(ip);
  const open = tables.filter((each) => each.port === port);
  const ranks = [
    open.filter(({ address }) => address === wanted || address === `${MAPPED}${wanted}`),
    open.filter(({ address }) => address === ANY_V4),
    open.filter(({ address }) => address !== ANY_V4 && ANY_ADDRESS.test(address)),
  ];
  const chosen = ranks.find((rank) => rank.length > 0) ?? [];
  return chosen.length > 0 && chosen.every(({ inode }) => sockets.has(inode));
}

/** The sockets that these processes have, by the kernel's numbers. */
export function socketsOf(pids: readonly number[]): ReadonlySet<string> {
  return new Set(pids.flatMap((pid) => socketsOfProcess(`/proc/${pid}/fd`)));
}

function socketsOfProcess(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(path.join(folder, name))) ?? [];
      return inode ?? [];
    });
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function readListeners(): readonly Listener[] {
  return TABLES.flatMap((file) => parseListeners(readTable(file)));
}

export function parseListeners(text: string): readonly Listener[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return state === LISTENING ? [{ address, port: Number.parseInt(port, 16), inode }] : [];
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
