/**
 * Reads the listening sockets of this machine from /proc. podkeep uses them to warn of port conflicts before
 * a container crashes, and to forward ports only to the pod's own listeners where pods share the machine's
 * network.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface Listener {
  /** The address as the kernel prints it, in hexadecimal. */
  readonly address: string;
  readonly port: number;
  /** The inode number of the socket. */
  readonly inode: string;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTENING = '0A';
const ANY_ADDRESS = /^0+$/;
const ANY_V4 = '00000000';
/** The prefix of IPv4 addresses in IPv6 sockets. */
const MAPPED = '0000000000000000FFFF0000';

/** Whether another socket already listens on `port` of `ip` or of all addresses. */
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
 * Whether connections to `port` of `ip` reach only these sockets. The kernel prefers a listener on exactly
 * that address, then one on all IPv4 addresses, then one on all addresses.
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

/** The inode numbers of the sockets that these processes have open. */
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
    // The process has ended, or belongs to another user.
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
