/**
 * What this machine lets us do, found out once, when the runtime opens.
 *
 * What the system reports cannot be trusted (a setting, a security module or an outer container may switch
 * user namespaces off), so everything is tried: the very calls that containers need, in throw-away processes
 * of the syscall helper.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { SyscallHelper } from '../../../lib/syscall-helper/syscall-helper.ts';
import { tryMachine, type Trial } from './machine-trial.ts';
import { refuseOldKernel } from '../old-kernel.ts';
import type { ProcessRuntimeOptions } from '../options.ts';

export interface Machine {
  readonly isLinux: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly bootId: string;
  readonly tools: Tools;
  /** Absent: containers can only be started without a boundary, and only if that was asked for. */
  readonly helper: SyscallHelper | undefined;
  /** `root`: namespaces as root. `user`: inside a user namespace. `none`: the machine as it is. */
  readonly isolation: 'root' | 'user' | 'none';
  /** Containers write into their own layers, above what they see of the machine. */
  readonly hasLayers: boolean;
  /** Containers can have a process namespace and a /proc that shows it. */
  readonly hasProcesses: boolean;
  /** Pods can have user namespaces with their own IDs, and their volumes can be mapped to them. */
  readonly mapsUsers: boolean;
  /** The machine's own folders can be mapped to them too. */
  readonly mapsTree: boolean;
  /** What stood in the way, for messages to users. */
  readonly obstacle: string;
}

export type ToolName = (typeof TOOLS)[number];
export type Tools = Readonly<Partial<Record<ToolName, string>>>;

export type MachineOptions = Pick<ProcessRuntimeOptions, 'folder' | 'isolation' | 'helper'>;

const ASKED_FOR = 'the configuration asks for it';
const TOOLS = ['sh', 'setpriv', 'fallocate', 'ip', 'nft'] as const;
const TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

export async function examineMachine({
  folder,
  isolation = 'auto',
  helper = 'auto',
}: MachineOptions): Promise<Machine> {
  const isLinux = process.platform === 'linux';
  const search =
    helper === 'none' ? { helper: undefined, obstacle: ASKED_FOR } : await SyscallHelper.find();
  const bare = {
    isLinux,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    bootId: readBootId(),
    tools: findTools(),
    helper: search.helper,
    isolation: 'none',
    hasLayers: false,
    hasProcesses: false,
    mapsUsers: false,
    mapsTree: false,
  } as const;
  if (!search.helper) return { ...bare, obstacle: search.obstacle };
  if (isolation === 'none') return { ...bare, obstacle: ASKED_FOR };
  if (!isLinux) return { ...bare, obstacle: `${process.platform} has no namespaces` };
  trial ??= tryMachine(search.helper, folder, bare);
  const { can, obstacle } = await trial;
  refuseOldKernel({ can, obstacle }, release());
  if (!can.has('mounts')) return { ...bare, obstacle };
  return {
    ...bare,
    isolation: bare.uid === 0 ? 'root' : 'user',
    hasLayers: can.has('layers'),
    hasProcesses: can.has('processes'),
    mapsUsers: can.has('users'),
    mapsTree: can.has('tree'),
    obstacle,
  };
}

/** The rights of this process do not change while it lives, so they are tried once. */
let trial: Promise<Trial> | undefined;

/**
 * The mode of the folders above a container. Without mounts, a container of another user has to pass through
 * them to what stands in for mounts; it still cannot list them.
 */
export function folderMode({ isolation, uid }: Machine): number {
  return isolation === 'none' && uid === 0 ? 0o711 : 0o700;
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

/** Differs after each boot. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}
