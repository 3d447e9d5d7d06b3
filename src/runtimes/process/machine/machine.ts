/**
 * Finds out once, when the runtime opens, which kinds of isolation this machine allows.
 *
 * The system's own reports are not reliable (a setting, a security module or an outer container may disable
 * user namespaces), so podkeep tries the very calls that containers need, in throw-away processes of the
 * syscall helper.
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
  /**
   * Undefined: containers can only be started without isolation, and only if the configuration asks for it.
   */
  readonly helper: SyscallHelper | undefined;
  /**
   * `root`: namespaces, created as root. `user`: namespaces inside a user namespace. `none`: no isolation.
   */
  readonly isolation: 'root' | 'user' | 'none';
  /** Containers can write into overlay layers above the machine's folders. */
  readonly hasLayers: boolean;
  /** Containers can have a process namespace and a /proc that shows it. */
  readonly hasProcesses: boolean;
  /** Pods can have user namespaces with IDs of their own, and volumes can be ID-mapped to them. */
  readonly mapsUsers: boolean;
  /** The machine's own folders can be ID-mapped, too. */
  readonly mapsTree: boolean;
  /** Why isolation is missing or incomplete, for messages to users. Empty: it is complete. */
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

/** Cached: the rights of this process do not change while it runs. */
let trial: Promise<Trial> | undefined;

/**
 * The mode of the folders above a container. Without isolation, a container of another user must be able to
 * pass through them to the links to its volumes; it still cannot list them.
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

/** The kernel's ID of this boot. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}
