/** Defines the form of calls to the syscall helper, the kernel's flags for them, and their encoding. */

/**
 * The name of a call and its arguments; program/calls.pl implements them. A call whose name begins with a
 * question mark may fail.
 */
export type SystemCall = readonly [name: string, ...args: (string | number | Uint8Array)[]];

/** Flags of clone(2), unshare(2) and setns(2). */
export const NAMESPACE = {
  mount: 0x0002_0000,
  uts: 0x0400_0000,
  ipc: 0x0800_0000,
  user: 0x1000_0000,
  pid: 0x2000_0000,
  net: 0x4000_0000,
} as const;

/** Flags of mount(2). */
export const MOUNT = {
  readOnly: 0x1,
  noSuid: 0x2,
  noDevices: 0x4,
  noExec: 0x8,
  bind: 0x1000,
  recursive: 0x4000,
  private: 0x4_0000,
  slave: 0x8_0000,
} as const;

/** Attributes of mount_setattr(2). */
export const ATTRIBUTE = { readOnly: 0x1, noSuid: 0x2, noDevices: 0x4, noExec: 0x8 } as const;

/** A placeholder for the PID of the second process of `makeNamespaces`; the helper fills it in. */
export const INSIDE_PID = '%PID%';

/** Writes the ID maps of an ordinary user's new user namespace, which map one ID: `inside` is `outside`. */
export function idMapCalls(
  inside: { readonly uid: number; readonly gid: number },
  outside: { readonly uid: number; readonly gid: number },
): readonly SystemCall[] {
  return [
    ['write', '/proc/self/setgroups', 'deny'],
    ['write', '/proc/self/uid_map', `${inside.uid} ${outside.uid} 1`],
    ['write', '/proc/self/gid_map', `${inside.gid} ${outside.gid} 1`],
  ];
}

const LENGTH_BYTES = 4;
/** One UTF-16 unit takes at most three bytes of UTF-8. */
const UNIT_BYTES_MAX = 3;

/** Encodes arguments, each preceded by its length. */
export function packArguments(args: readonly (string | number | Uint8Array)[]): Buffer {
  const texts = args.map((word) => (typeof word === 'number' ? String(word) : word));
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

export function packCalls(calls: readonly SystemCall[]): Buffer {
  const args: (string | number | Uint8Array)[] = [];
  for (const [name, ...own] of calls) args.push(name, own.length, ...own);
  return packArguments(args);
}
