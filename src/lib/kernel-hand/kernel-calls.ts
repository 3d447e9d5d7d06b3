/** What a KernelHand can be asked to do, and the numbers by which the kernel knows it. */

/** A name and its words. A question mark before the name: it may fail. */
export type KernelCall = readonly [name: string, ...words: (string | number | Uint8Array)[]];

/** Flags of clone(2), unshare(2) and setns(2). */
export const NAMESPACE = {
  mount: 0x0002_0000,
  uts: 0x0400_0000,
  ipc: 0x0800_0000,
  user: 0x1000_0000,
  pid: 0x2000_0000,
  net: 0x4000_0000,
} as const;

const MS_RDONLY = 0x1;
const MS_REMOUNT = 0x20;
const MS_BIND = 0x1000;
const MS_REC = 0x4000;
const MS_SLAVE = 0x8_0000;
const MOUNT_FLAGS: ReadonlyMap<string, number> = new Map([
  ['ro', MS_RDONLY],
  ['nosuid', 0x2],
  ['nodev', 0x4],
  ['noexec', 0x8],
  ['noatime', 0x400],
  ['nodiratime', 0x800],
  ['bind', MS_BIND],
  ['rbind', MS_BIND | MS_REC],
  ['relatime', 0x20_0000],
]);

export interface MountWish {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  /** As mount(8) takes them. */
  readonly options: readonly string[];
}

/**
 * A bind mount takes its flags only in a second step. Only one is ever wanted, that it is read-only; the
 * others are those that it has already, which an old kernel would take away if they were not named.
 */
export function mountCalls({ source, target, type, options }: MountWish): readonly KernelCall[] {
  const flags = options.reduce((all, option) => all | (MOUNT_FLAGS.get(option) ?? 0), 0);
  const data = options.filter((option) => !MOUNT_FLAGS.has(option)).join(',');
  const binds = flags & (MS_BIND | MS_REC);
  if (binds === 0 || flags === binds) return [['mount', source, target, type, flags, data]];
  const changes = (flags & ~MS_REC) | MS_REMOUNT;
  return [
    ['mount', source, target, type, binds, ''],
    flags & MS_RDONLY
      ? ['readonly', target, changes]
      : ['mount', 'none', target, type, changes, ''],
  ];
}

/** What is mounted on the machine later is seen; what is mounted here is not seen there. */
export const OWN_MOUNTS: KernelCall = ['mount', 'none', '/', 'none', MS_REC | MS_SLAVE, ''];

/** In a new user namespace: this one ID is that one outside. */
export function idMapCalls(
  inside: { readonly uid: number; readonly gid: number },
  outside: { readonly uid: number; readonly gid: number },
): readonly KernelCall[] {
  return [
    ['write', '/proc/self/setgroups', 'deny'],
    ['write', '/proc/self/uid_map', `${inside.uid} ${outside.uid} 1`],
    ['write', '/proc/self/gid_map', `${inside.gid} ${outside.gid} 1`],
  ];
}

const LENGTH_BYTES = 4;
/** One UTF-16 unit takes at most three bytes of UTF-8. */
const UNIT_BYTES_MAX = 3;

/** Words, each with its length before it. */
export function packWords(words: readonly (string | number | Uint8Array)[]): Buffer {
  const texts = words.map((word) => (typeof word === 'number' ? String(word) : word));
  const most = texts.reduce((sum, word) => sum + LENGTH_BYTES + word.length * UNIT_BYTES_MAX, 0);
  const packed = Buffer.allocUnsafe(most);
  let end = 0;
  for (const word of texts) {
    const start = end + LENGTH_BYTES;
    const length = typeof word === 'string' ? packed.write(word, start) : word.length;
    if (typeof word !== 'string') packed.set(word, start);
    packed.writeUInt32BE(length, end);
    end = start + length;
  }
  return packed.subarray(0, end);
}

export function packCalls(calls: readonly KernelCall[]): Buffer {
  const words: (string | number | Uint8Array)[] = [];
  for (const [name, ...own] of calls) words.push(name, own.length, ...own);
  return packWords(words);
}
