/**
 * Builds the root that containers without an image see: the machine's programs and libraries, and of /etc
 * only the files that programs need. Everything else (home folders, data of services, keys) is missing.
 *
 *     skeleton/            the top of the root, created once and shared as the lowest layer of all containers
 *       etc/               copies of the files of an allow-list; accounts are made up
 *       tmp, run, var/...  empty
 *       bin -> usr/bin     as the machine has them
 *     /usr, ...            folders of the machine, each mounted below a layer of the container
 *     /etc/ssl/certs, ...  folders of the allow-list, mounted read-only
 *
 * A folder of the machine in which something is mounted cannot be an overlay layer: containers see it as it
 * is, read-only. The same holds for the folders of the setting `tree`.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { HostMount } from '../machine/mount-table.ts';

export interface TreeFolder {
  readonly path: string;
  /** The container sees the folder as it is, read-only, without a layer above it. */
  readonly isFixed: boolean;
}

export interface MachineTree {
  /** The skeleton, on disk. */
  readonly folder: string;
  readonly tree: readonly TreeFolder[];
}

const PROGRAM_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'usr'];
/** Folders that each container has for itself, empty at first. */
export const EMPTY_FOLDERS: Readonly<Record<string, number>> = {
  dev: 0o755,
  etc: 0o755,
  home: 0o755,
  media: 0o755,
  mnt: 0o755,
  opt: 0o755,
  proc: 0o555,
  root: 0o700,
  run: 0o755,
  'run/lock': 0o1777,
  srv: 0o755,
  sys: 0o555,
  tmp: 0o1777,
  var: 0o755,
  'var/cache': 0o755,
  'var/lib': 0o755,
  'var/log': 0o755,
  'var/tmp': 0o1777,
};
const VAR_LINKS: Readonly<Record<string, string>> = { 'var/run': '/run', 'var/lock': '/run/lock' };
/**
 * The files of /etc that containers see: world-readable on every system, and needed by programs to find
 * libraries and hosts.
 */
export const ETC_FILES: readonly string[] = [
  'ca-certificates.conf',
  'ld.so.cache',
  'ld.so.conf',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'protocols',
  'services',
  'ssl/openssl.cnf',
  'timezone',
];
export const ETC_FOLDERS: readonly string[] = [
  'alternatives',
  'ca-certificates',
  'ld.so.conf.d',
  'ssl/certs',
];
const ETC_MADE: Readonly<Record<string, string>> = {
  passwd:
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'root:x:0:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1\tlocalhost\n::1\tlocalhost\n',
  'resolv.conf': '',
};
/** Increase it when this code changes the skeleton. */
const VERSION = 2;
const FRESH_MS = 5000;

export interface MachineTreeOptions {
  /** The folder of skeletons. */
  readonly folder: string;
  /** More folders of the machine that containers see, read-only. */
  readonly shown: readonly string[];
  /** In tests: a root other than the machine's. */
  readonly root?: string;
}

export class MachineTrees {
  readonly #options: MachineTreeOptions;
  #skeleton: string | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MachineTreeOptions) {
    this.#options = options;
  }

  /** The tree for a container that starts now. */
  get(hostMounts: readonly HostMount[], nowMs: number): MachineTree {
    const { root = '/', shown } = this.#options;
    if (!this.#skeleton || Math.abs(nowMs - this.#checkedAtMs) >= FRESH_MS) {
      this.#skeleton = this.#makeSkeleton();
      this.#checkedAtMs = nowMs;
    }
    const hasMounts = (folder: string): boolean =>
      hostMounts.some(({ point }) => point.startsWith(`${folder}/`));
    const programs = PROGRAM_FOLDERS.map((name) => path.join(root, name))
      .filter((folder) => isFolder(folder))
      .map((folder) => ({ path: folder, isFixed: hasMounts(folder) }));
    const more = [...ETC_FOLDERS.map((name) => path.join(root, 'etc', name)), ...shown]
      .filter((folder) => isFolder(folder) && !programs.some((each) => each.path === folder))
      .map((folder) => ({ path: folder, isFixed: true }));
    return { folder: this.#skeleton, tree: [...programs, ...more] };
  }

  /** Removes outdated skeletons. Call only while no container runs. */
  sweep(): void {
    const { folder } = this.#options;
    for (const name of namesIn(folder)) {
      const each = path.join(folder, name);
      if (each !== this.#skeleton) rmSync(each, { recursive: true, force: true });
    }
  }

  #makeSkeleton(): string {
    const { folder, root = '/', shown } = this.#options;
    const facts = JSON.stringify([VERSION, shown, etcFacts(root), programLinks(root)]);
    const key = createHash('sha256').update(facts).digest('hex').slice(0, 16);
    const done = path.join(folder, key);
    if (existsSync(done)) return done;
    const draft = `${done}.new`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    chmodSync(draft, 0o755);
    for (const [name, mode] of Object.entries(EMPTY_FOLDERS)) makeFolder(draft, name, mode);
    for (const [name, target] of Object.entries(VAR_LINKS)) {
      symlinkSync(target, path.join(draft, name));
    }
    for (const name of PROGRAM_FOLDERS) addProgramFolder(draft, root, name);
    const mounted = ETC_FOLDERS.map((name) => path.join('etc', name));
    for (const each of [...mounted, ...shown.map((folder) => path.relative(root, folder))]) {
      makeFolder(draft, each, 0o755);
      openWay(draft, each);
    }
    fillEtc(draft, root);
    renameSync(draft, done);
    return done;
  }
}

function addProgramFolder(draft: string, root: string, name: string): void {
  const found = lstatSync(path.join(root, name), { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    symlinkSync(readlinkSync(path.join(root, name)), path.join(draft, name));
  } else if (found?.isDirectory()) {
    makeFolder(draft, name, 0o755);
  }
}

function fillEtc(draft: string, root: string): void {
  for (const name of ETC_FILES) copy(path.join(root, 'etc', name), path.join(draft, 'etc', name));
  for (const [name, text] of Object.entries(ETC_MADE)) {
    const file = path.join(draft, 'etc', name);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
}

/** Copies files and links, as links. Other entries, and files that are not world-readable, are left out. */
function copy(from: string, to: string): void {
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
  } else if (found?.isFile() && (found.mode & 0o004) !== 0) {
    copyFileSync(from, to);
    chmodSync(to, 0o644);
  }
}

function makeFolder(draft: string, name: string, mode: number): void {
  const folder = path.join(draft, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
}

/** Creates the folders above a shown folder so that every user may pass, even if it is below /root. */
function openWay(draft: string, name: string): void {
  for (let each = path.dirname(name); each !== '.'; each = path.dirname(each)) {
    const folder = path.join(draft, each);
    chmodSync(folder, statSync(folder).mode | 0o111);
  }
}

/** A fingerprint of the copied files of /etc. */
function etcFacts(root: string): readonly string[] {
  return ETC_FILES.map((name) => {
    const found = lstatSync(path.join(root, 'etc', name), { throwIfNoEntry: false });
    return found ? `${name} ${found.ino} ${found.mtimeMs} ${found.size}` : '';
  });
}

function programLinks(root: string): readonly string[] {
  return PROGRAM_FOLDERS.map((name) => {
    const found = lstatSync(path.join(root, name), { throwIfNoEntry: false });
    if (!found) return '';
    return found.isSymbolicLink() ? readlinkSync(path.join(root, name)) : 'folder';
  });
}

function isFolder(folder: string): boolean {
  const link = lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
  return !link && (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
