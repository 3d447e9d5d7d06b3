/**
 * Decides what one entry of a layer's archive becomes in the image (pure).
 *
 *     header ──┬─> folder · file · symlink · hardLink     created in the image
 *              ├─> whiteout · opaque                      removes what lower layers had
 *              ├─> skipped                                devices, FIFOs, metadata of AUFS
 *              └─> refused                                the image cannot be used
 *
 * Invariants
 * 1. A path in a decision is a list of plain names: none is empty, `.`, `..`, or holds a slash or NUL.
 *    Absolute names start at the root of the image; `a/../b` is `b`; a name that climbs above the root is
 *    refused.
 * 2. The path of anything but a folder has at least one name.
 * 3. The target of a symbolic link stays as it is: the link is data of the image. The target of a hard link
 *    is a path as in 1.
 * 4. Only root keeps owners, setuid and setgid. An ordinary user owns all files, so setuid would give that
 *    user's rights to others; that user can always read and remove everything.
 */
import type { TarHeader } from 'modern-tar';

/** Names from the root of the image down. Empty: the root itself. */
export type ImagePath = readonly string[];

export interface Attributes {
  readonly mode: number;
  /** Absent: the user who runs podkeep owns it. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Absent: the archive has no time, or one that a file cannot have. */
  readonly mtimeSeconds?: number;
}

export type SkippedKind = 'device' | 'fifo' | 'metadata';

export type LayerEntry =
  | { readonly kind: 'folder'; readonly path: ImagePath; readonly attributes: Attributes }
  | {
      readonly kind: 'file';
      readonly path: ImagePath;
      readonly sizeBytes: number;
      readonly attributes: Attributes;
    }
  | {
      readonly kind: 'symlink';
      readonly path: ImagePath;
      readonly target: string;
      readonly attributes: Attributes;
    }
  | { readonly kind: 'hardLink'; readonly path: ImagePath; readonly target: ImagePath }
  | { readonly kind: 'whiteout'; readonly path: ImagePath }
  | { readonly kind: 'opaque'; readonly folder: ImagePath }
  | { readonly kind: 'skipped'; readonly what: SkippedKind }
  | { readonly kind: 'refused'; readonly reason: string };

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const METADATA = '.wh..wh.';
/** chown(2) takes the next number to mean "do not change". */
const ID_MAX = 0xff_ff_ff_fe;
const SECONDS_MAX = 2 ** 33;
const XATTR = /^(?:SCHILY|LIBARCHIVE)\.xattr\./;
/** The character that the parser substitutes for bytes that are not UTF-8. */
const NOT_UTF8 = '\u{FFFD}';

export function decideEntry(header: TarHeader, isRoot: boolean): LayerEntry {
  const path = imagePath(header.name);
  if (typeof path === 'string') return { kind: 'refused', reason: `its name ${path}` };
  if (Object.keys(header.pax ?? {}).some((key) => key.startsWith('GNU.sparse.'))) {
    return { kind: 'refused', reason: 'it is a sparse file, which layers cannot have' };
  }
  return decideWhiteout(path) ?? decideCreated(header, path, isRoot);
}

/** How many extended attributes an entry has. */
export function countXattrs({ pax }: TarHeader): number {
  return pax === undefined ? 0 : Object.keys(pax).filter((key) => XATTR.test(key)).length;
}

/** Names that begin with `.wh.` are reserved for whiteouts. Undefined: the entry is not a whiteout. */
function decideWhiteout(path: ImagePath): LayerEntry | undefined {
  const folder = path.slice(0, -1);
  const base = path.at(-1) ?? '';
  if (folder.some((name) => name.startsWith(WHITEOUT)))
    return { kind: 'skipped', what: 'metadata' };
  if (!base.startsWith(WHITEOUT)) return undefined;
  if (base === OPAQUE) return { kind: 'opaque', folder };
  if (base.startsWith(METADATA)) return { kind: 'skipped', what: 'metadata' };
  const name = base.slice(WHITEOUT.length);
  if (name === '' || name === '.' || name === '..') {
    return { kind: 'refused', reason: 'it is a whiteout without a name' };
  }
  return { kind: 'whiteout', path: [...folder, name] };
}

function decideCreated(header: TarHeader, path: ImagePath, isRoot: boolean): LayerEntry {
  const kind = header.type ?? 'file';
  if (kind !== 'directory' && path.length === 0) {
    return { kind: 'refused', reason: 'the root of an image can only be a folder' };
  }
  switch (kind) {
    case 'character-device':
    case 'block-device':
      return { kind: 'skipped', what: 'device' };
    case 'fifo':
      return { kind: 'skipped', what: 'fifo' };
    case 'link':
      return decideHardLink(header, path);
    case 'file':
    case 'directory':
    case 'symlink':
      return decideOwned(header, path, isRoot);
    case 'pax-header':
    case 'pax-global-header':
    case 'gnu-long-name':
    case 'gnu-long-link-name':
      return { kind: 'refused', reason: `it is a ${kind} without an entry` };
  }
}

function decideHardLink({ linkname = '' }: TarHeader, path: ImagePath): LayerEntry {
  const target = imagePath(linkname);
  if (typeof target === 'string') return { kind: 'refused', reason: `its link target ${target}` };
  return { kind: 'hardLink', path, target };
}

function decideOwned(header: TarHeader, path: ImagePath, isRoot: boolean): LayerEntry {
  const { type = 'file', size, linkname = '', uid = 0, gid = 0 } = header;
  if (isRoot && (uid > ID_MAX || gid > ID_MAX)) {
    return { kind: 'refused', reason: `its owner ${uid}:${gid} is out of range` };
  }
  const attributes: Attributes = {
    mode: modeOf(header, isRoot),
    ...(isRoot && { owner: { uid, gid } }),
    ...mtimeOf(header),
  };
  if (type === 'directory') return { kind: 'folder', path, attributes };
  if (type === 'file') return { kind: 'file', path, sizeBytes: size, attributes };
  const fault = faultOf(linkname);
  if (fault !== undefined) return { kind: 'refused', reason: `its link target ${fault}` };
  return { kind: 'symlink', path, target: linkname, attributes };
}

function modeOf({ type = 'file', mode }: TarHeader, isRoot: boolean): number {
  const isFolder = type === 'directory';
  const asked = (mode ?? (isFolder ? 0o755 : 0o644)) & 0o7777;
  if (isRoot) return asked;
  return (asked & 0o1777) | (isFolder ? 0o700 : 0o400);
}

function mtimeOf({ mtime }: TarHeader): { readonly mtimeSeconds?: number } {
  const seconds = mtime === undefined ? Number.NaN : mtime.getTime() / 1000;
  return Math.abs(seconds) <= SECONDS_MAX ? { mtimeSeconds: seconds } : {};
}

/** Returns a string if the name is invalid: the reason. */
function imagePath(name: string): ImagePath | string {
  const fault = faultOf(name);
  if (fault !== undefined) return fault;
  const path: string[] = [];
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') path.push(part);
    else if (path.pop() === undefined) return 'leads out of the image';
  }
  return path;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.includes('\0')) return 'has a NUL byte';
  if (name.includes(NOT_UTF8)) return 'is not UTF-8';
  return undefined;
}
