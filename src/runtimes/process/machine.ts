/**
 * What this machine lets us do, found out once, when the runtime opens.
 *
 * A promise of the system is worth nothing here (user namespaces may be switched off by a setting, a
 * security module or an outer container), so everything is tried: a throw-away namespace with the very
 * mounts that containers need.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from './json-file.ts';

export interface Machine {
  readonly isLinux: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly bootId: string;
  readonly tools: Tools;
  /** `root`: namespaces as root. `user`: inside a user namespace. `none`: the machine as it is. */
  readonly isolation: 'root' | 'user' | 'none';
  /** Containers write into layers of their own, above what they see of the machine. */
  readonly hasLayers: boolean;
  /** Containers can have a process namespace and a /proc that shows it. */
  readonly hasProcesses: boolean;
  /** What stood in the way, for people. */
  readonly obstacle: string;
}

export type ToolName = (typeof TOOLS)[number];
export type Tools = Readonly<Partial<Record<ToolName, string>>>;

const TOOLS = [
  'sh',
  'env',
  'unshare',
  'nsenter',
  'setpriv',
  'mount',
  'cp',
  'mkfifo',
  'chown',
  'hostname',
  'script',
  'stty',
  'sleep',
  'fallocate',
  'ip',
  'umount',
] as const;
const TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const ISOLATION_TOOLS: readonly ToolName[] = ['unshare', 'nsenter', 'mount', 'cp'];
const PROBE_MS_MAX = 5000;

const run = promisify(execFile);

export async function examineMachine(folder: string, wish: 'auto' | 'none'): Promise<Machine> {
  const isLinux = process.platform === 'linux';
  const tools = findTools();
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const bare = {
    isLinux,
    uid,
    gid,
    bootId: readBootId(),
    tools,
    isolation: 'none',
    hasLayers: false,
    hasProcesses: false,
  } as const;
  if (wish === 'none') return { ...bare, obstacle: 'it was asked for' };
  if (!isLinux) return { ...bare, obstacle: `${process.platform} has no namespaces` };
  const missing = ISOLATION_TOOLS.filter((name) => tools[name] === undefined);
  if (missing.length > 0) return { ...bare, obstacle: `${missing.join(', ')} not found` };
  const tried = await (trial ??= tryNamespaces(folder, tools, uid === 0));
  return tried.can.has('mounts')
    ? {
        ...bare,
        isolation: uid === 0 ? 'root' : 'user',
        hasLayers: tried.can.has('layers'),
        hasProcesses: tried.can.has('processes'),
        obstacle: tried.words,
      }
    : { ...bare, obstacle: tried.words };
}

/**
 * Of the folders on the way to a container. Where there are no mounts, one that runs as somebody else
 * has to get through to what stands in for them; it still cannot look around on the way.
 */
export function folderMode({ isolation, uid }: Machine): number {
  return isolation === 'none' && uid === 0 ? 0o711 : 0o700;
}

/** The options by which every namespace of a container is made. */
export function namespaceOptions(isRoot: boolean): readonly string[] {
  return isRoot ? [] : ['--user', '--map-root-user'];
}

const PROBE = `T=$1 L=$2
mount -t tmpfs tmpfs "$T" || exit 1
mkdir "$T/u" "$T/w" "$T/r" "$T/p" && mount --bind "$T/u" "$T/r" && umount "$T/r" && echo mounts
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$T/u,workdir=$T/w$L" "$T/r" && echo layers
mount -t proc proc "$T/p" && echo processes
:`;

interface Trial {
  readonly can: ReadonlySet<string>;
  readonly words: string;
}

/** What this process may do does not change while it lives, so it is tried once. */
let trial: Promise<Trial> | undefined;

async function tryNamespaces(folder: string, tools: Tools, isRoot: boolean): Promise<Trial> {
  const place = path.join(folder, 'probe');
  await mkdir(place, { recursive: true });
  const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
  const args = [...namespaceOptions(isRoot), ...namespaces, tools.sh ?? 'sh', '-c', PROBE, 'probe'];
  try {
    const { stdout, stderr } = await run(
      tools.unshare ?? 'unshare',
      [...args, place, isRoot ? '' : ',userxattr'],
      { timeout: PROBE_MS_MAX, env: { PATH: TOOL_FOLDERS.join(':') } },
    );
    return { can: new Set(stdout.split('\n')), words: firstLine(stderr) };
  } catch (error) {
    return { can: new Set(), words: firstLine(reasonOf(error).split('\n').slice(1).join('\n')) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

export function findTools(): Tools {
  const found: Partial<Record<ToolName, string>> = {};
  for (const name of TOOLS) {
    const file = TOOL_FOLDERS.map((folder) => path.join(folder, name)).find(isExecutable);
    if (file !== undefined) found[name] = file;
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Differs after each start of the machine. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}
