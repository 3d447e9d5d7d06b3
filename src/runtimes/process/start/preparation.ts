/**
 * Collects everything that the start of one container depends on, and creates the files that the start needs.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../../ports/runtime/container-config.ts';
import type { GroupSetting } from '../machine/cgroups.ts';
import { NOTES_SPACE } from '../container/init-notes.ts';
import type { Machine } from '../machine/machine.ts';
import type { ShownTree } from '../container/missing-command.ts';
import { lookThrough } from '../machine/path-in-root.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';
import type { Memory } from '../record-file.ts';
import type { ContainerRecord, SandboxRecord } from '../container/records.ts';
import type { MachineTree } from '../root/machine-tree.ts';
import type { RootRequest, RootUsers } from '../root/root-calls.ts';
import { makeFolder, makeStandIns } from '../root-folders.ts';
import type { SeccompFilter } from './seccomp-filters.ts';

export interface Preparation {
  readonly record: ContainerRecord;
  readonly sandbox: SandboxRecord;
  readonly folder: string;
  readonly machine: Machine;
  /** The path in the title of the monitor by which the guard finds the container's processes. */
  readonly marker: string;
  /** The folder on which the container, in its own mount namespace, mounts its root. */
  readonly place: string;
  readonly machineTree: () => MachineTree;
  readonly shown: ShownTree;
  /** The settings of its control groups, which are created during the start. */
  readonly groupSettings: readonly GroupSetting[];
  /** The mounts of the spec, of the image and of the pod. */
  readonly mounts: readonly Mount[];
  readonly sharedMemory?: string | undefined;
  /** The process whose mount namespace has the pod's /dev/shm. Absent: `sharedMemory` is the folder. */
  readonly memoryHolder?: ProcessIdentity | undefined;
  /** The process whose process namespace the container joins. Absent: it gets its own. */
  readonly joined?: ProcessIdentity | undefined;
  readonly log: { readonly maxBytes: number; readonly maxFiles: number };
  /** Filters of system calls: of the command, and of the first process, which only waits. */
  readonly seccomp?: SeccompFilter | undefined;
  readonly waitingSeccomp?: SeccompFilter | undefined;
  readonly env: ContainerRecord['env'];
  /** For data that must not be written to a disk, such as values of Secrets. */
  readonly memory: Memory;
  /** pid_max of its process namespace. Absent: the machine's. */
  readonly pidMax?: number | undefined;
  /** podkeep's own folders inside folders that the container sees: the container finds them empty. */
  readonly hidden: readonly string[];
}

const OWNER_ONLY = { mode: 0o600 };

/** Creates the files of the start; without isolation, links to the volumes in place of mounts. */
export function makeFiles({ folder, place, machine, mounts }: Preparation): void {
  if (machine.isolation === 'none') {
    rmSync(place, { recursive: true, force: true });
    makeStandIns(place, mounts);
  } else {
    makeFolder(place);
  }
  writeFileSync(path.join(folder, 'state'), NOTES_SPACE, OWNER_ONLY);
}

export function rootRequest(preparation: Preparation): RootRequest {
  const { record, sandbox, machine, place, mounts, sharedMemory, memoryHolder, hidden } =
    preparation;
  const { config, imageRoot, workingDir } = record;
  const { isPrivileged, isReadOnlyRoot, maskedPaths, readonlyPaths } = config.security;
  const base =
    imageRoot === undefined ? preparation.machineTree() : { folder: imageRoot, tree: [] };
  return {
    place,
    base,
    users: usersOf(sandbox, machine),
    hasLayers: machine.hasLayers,
    isReadOnly: isReadOnlyRoot,
    isPrivileged,
    mounts,
    devices: config.devices,
    maskedPaths: [
      ...(imageRoot === undefined ? hidden : []),
      ...(isPrivileged ? [] : (maskedPaths ?? [])),
    ],
    readonlyPaths: isPrivileged ? [] : (readonlyPaths ?? []),
    workingDir,
    hostname: sandbox.config.hostname || 'localhost',
    hasProcesses: machine.hasProcesses && !sandbox.config.hostPid,
    hasNetwork: sandbox.network.kind === 'namespace',
    sharedMemory,
    borrowsMemory: memoryHolder !== undefined,
    pidMax: preparation.pidMax,
    inspect: lookThrough,
  };
}

function usersOf({ users }: SandboxRecord, machine: Machine): RootUsers {
  if (machine.isolation === 'user') return { kind: 'own' };
  if (users === undefined) return { kind: 'machine' };
  const { first: firstId, file } = users;
  return { kind: 'pod', file, firstId, mapsTree: machine.mapsTree };
}
