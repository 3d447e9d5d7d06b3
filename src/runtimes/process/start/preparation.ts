/** Everything that the start of one container depends on, and what is made on disk before it. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mount } from '../../../ports/runtime/container-config.ts';
import type { GroupSetting } from '../cgroups.ts';
import { NOTES_SPACE } from '../init-notes.ts';
import type { Machine } from '../machine.ts';
import type { ShownTree } from '../missing-command.ts';
import { lookThrough } from '../path-in-root.ts';
import type { ProcessIdentity } from '../proc-table.ts';
import type { ContainerRecord, SandboxRecord } from '../records.ts';
import type { MachineTree } from '../root/machine-tree.ts';
import type { RootRequest, RootUsers } from '../root/root-calls.ts';
import { makeFolder, makeStandIns } from '../root-folders.ts';
import type { SeccompFilter } from './seccomp-filters.ts';

export interface Preparation {
  readonly record: ContainerRecord;
  readonly sandbox: SandboxRecord;
  readonly folder: string;
  readonly machine: Machine;
  /** A path by which the guard of the folder finds the processes of containers. */
  readonly marker: string;
  /** Where the root is put together, by each container in its own view. */
  readonly place: string;
  readonly machineTree: () => MachineTree;
  readonly shown: ShownTree;
  /** Of its control groups, which are made as it starts. */
  readonly groupSettings: readonly GroupSetting[];
  /** Those of the spec, and those that belong to the pod. */
  readonly mounts: readonly Mount[];
  readonly sharedMemory?: string | undefined;
  /** A process whose process namespace the container joins. */
  readonly joined?: ProcessIdentity | undefined;
  readonly log: { readonly maxBytes: number; readonly maxFiles: number };
  /** Filters of system calls: of the command, and of the first process, which only waits. */
  readonly seccomp?: SeccompFilter | undefined;
  readonly waitingSeccomp?: SeccompFilter | undefined;
  readonly env: ContainerRecord['env'];
  /** The largest process ID of its namespace; absent: the machine's. */
  readonly pidMax?: number | undefined;
  /** Folders of podkeep's own inside the machine's folders that it sees. */
  readonly hidden: readonly string[];
}

const OWNER_ONLY = { mode: 0o600 };

/** Without mounts, links stand in for them. */
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
  const { record, sandbox, machine, place, mounts, sharedMemory, hidden } = preparation;
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
