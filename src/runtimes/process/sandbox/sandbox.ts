/**
 * One sandbox of the process runtime: its record, and, where needed, the holder: a process that keeps the
 * namespaces shared by the pod's containers.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeSandbox } from '../../../api/runtime-pod.ts';
import {
  idMapCalls,
  MOUNT,
  NAMESPACE,
  type SystemCall,
} from '../../../lib/syscall-helper/calls.ts';
import type { Mount } from '../../../ports/runtime/container-config.ts';
import { sandboxNotReady } from '../errors.ts';
import { readText } from '../container/init-notes.ts';
import { reasonOf, writeJson } from '../json-file.ts';
import { keyOf, podFolder, sandboxFile } from '../layout.ts';
import { folderMode, type Machine } from '../machine/machine.ts';
import { SHARED_MEMORY_OPTIONS, sharedMemoryFolder } from './pod-namespaces.ts';
import { isAlive, signalProcess, type ProcessIdentity } from '../machine/proc-table.ts';
import type { SandboxRecord } from '../container/records.ts';
import { waitingCalls } from '../start/command-calls.ts';
import type { SeccompFilters } from '../start/seccomp-filters.ts';

const SHARED_MEMORY = '/dev/shm';
const SAFE = MOUNT.noSuid | MOUNT.noDevices | MOUNT.noExec;
const RESOLV_CONF = '/etc/resolv.conf';

export class Sandbox {
  readonly #folder: string;
  readonly #machine: Machine;
  #record: SandboxRecord;

  readonly #filters: SeccompFilters;

  constructor(record: SandboxRecord, folder: string, machine: Machine, filters: SeccompFilters) {
    this.#filters = filters;
    this.#record = record;
    this.#folder = folder;
    this.#machine = machine;
  }

  get record(): SandboxRecord {
    return this.#record;
  }

  get id(): string {
    return this.#record.id;
  }

  get ip(): string {
    const { network } = this.#record;
    return network.kind === 'host' ? '' : network.ip;
  }

  report(): RuntimeSandbox {
    const { id, config, isReady } = this.#record;
    const { attempt, hostNetwork } = config;
    return { id, attempt, ready: isReady, hostNetwork, ip: isReady ? this.ip : '' };
  }

  /**
   * Creates the files that the pod's containers share. The sandbox exists from the moment its record is
   * written, which is last.
   */
  async create(): Promise<void> {
    const { config } = this.#record;
    const { servers, searches, options } = config.dns;
    const mode = folderMode(this.#machine);
    mkdirSync(podFolder(this.#folder, config.podUid), { recursive: true, mode });
    const lines = [
      ...servers.map((server) => `nameserver ${server}`),
      ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
      ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
    ];
    if (servers.length > 0) writeFileSync(this.#file('resolv.conf'), `${lines.join('\n')}\n`);
    if (this.sharesProcesses || this.#holdsMemory) await this.#startHolder();
    this.save({ ...this.#record, isReady: true });
  }

  save(record: SandboxRecord): void {
    writeJson(this.#file('json'), record);
    this.#record = record;
  }

  /** Ends the holder and releases memory; the record stays. */
  async release(): Promise<void> {
    const holder = readHolder(this.#file('holder'));
    if (holder) signalProcess(holder, 'SIGKILL', this.#machine.isLinux);
    // Otherwise it is removed with the pod's namespaces.
    if (this.#hasSharedMemory() && this.#record.files === undefined) {
      await rm(this.#sharedMemory(), { recursive: true, force: true });
    }
  }

  remove(): void {
    for (const kind of ['resolv.conf', 'holder', 'json'] as const) {
      rmSync(this.#file(kind), { force: true });
    }
  }

  /** Adds the mount of /etc/resolv.conf, unless the container has a mount of its own there. */
  mounts(own: readonly Mount[]): readonly Mount[] {
    const hasDns = this.#record.config.dns.servers.length > 0;
    if (!hasDns || own.some(({ containerPath }) => containerPath === RESOLV_CONF)) return own;
    const dns: Mount = {
      containerPath: RESOLV_CONF,
      hostPath: this.#file('resolv.conf'),
      isReadOnly: false,
      isRecursiveReadOnly: false,
      propagation: 'None',
    };
    return [...own, dns];
  }

  get sharedMemory(): string | undefined {
    return this.#hasSharedMemory() ? this.#sharedMemory() : undefined;
  }

  get sharesProcesses(): boolean {
    const { sharesProcesses, hostPid } = this.#record.config;
    const { isolation, hasProcesses } = this.#machine;
    return sharesProcesses && !hostPid && isolation !== 'none' && hasProcesses;
  }

  /** The holder of the process namespace that the pod's containers share. Undefined: they share none. */
  holder(): ProcessIdentity | undefined {
    return this.sharesProcesses ? readHolder(this.#file('holder')) : undefined;
  }

  /** The holder whose mount namespace has the pod's /dev/shm. Undefined: it is in a folder of the machine. */
  memoryHolder(): ProcessIdentity | undefined {
    if (!this.#holdsMemory || this.sharedMemory !== undefined) return undefined;
    return readHolder(this.#file('holder'));
  }

  get #holdsMemory(): boolean {
    return this.#machine.isolation === 'user';
  }

  async #startHolder(): Promise<void> {
    const { isolation, helper } = this.#machine;
    const { namespace, podName } = this.#record.config;
    const file = this.#file('holder');
    const isUser = isolation === 'user';
    try {
      await helper?.hold({
        // The guard finds the process by this title, so it looks like a command line.
        title: `podkeep-pause ${path.join(this.#folder, 'pause.sh')} ${file}`,
        file,
        namespaces:
          (this.sharesProcesses ? NAMESPACE.pid : 0) |
          (isUser ? NAMESPACE.user | NAMESPACE.mount : 0),
        rest: this.#holderCalls(),
      });
    } catch (error) {
      const reason = `what its containers share did not come up: ${reasonOf(error)}`;
      throw sandboxNotReady({ pod: `${namespace}/${podName}`, reason }, error);
    }
  }

  #holderCalls(): readonly SystemCall[] {
    const { isolation, uid, gid } = this.#machine;
    const { users } = this.#record;
    if (isolation === 'user') {
      return [
        ...idMapCalls({ uid: 0, gid: 0 }, { uid, gid }),
        ['mount', 'none', '/', 'none', MOUNT.recursive | MOUNT.slave, ''],
        ['mount', 'tmpfs', SHARED_MEMORY, 'tmpfs', SAFE, SHARED_MEMORY_OPTIONS],
      ];
    }
    const join: readonly SystemCall[] = users
      ? [
          ['keep', 'users', users.file],
          ['join', 'users', NAMESPACE.user],
          ['groups'],
          ['user', 0, 0],
        ]
      : [];
    return [['hidden'], ...join, ...waitingCalls(this.#filters.ofWaiting())];
  }

  #file(kind: 'json' | 'resolv.conf' | 'holder'): string {
    const { podUid, attempt } = this.#record.config;
    return sandboxFile(this.#folder, podUid, attempt, kind);
  }

  /**
   * Whether the pod's /dev/shm is a folder of the machine. Without root, podkeep can mount a tmpfs only in
   * the namespace of the pod's holder; but pods that an earlier version started have a folder in the
   * machine's /dev/shm.
   */
  #hasSharedMemory(): boolean {
    const { isolation } = this.#machine;
    return isolation === 'root' || (isolation === 'user' && existsSync(this.#sharedMemory()));
  }

  /** The folder that containers see as their /dev/shm. */
  #sharedMemory(): string {
    const { files } = this.#record;
    if (files !== undefined) return sharedMemoryFolder(files);
    const name = `podkeep-${keyOf(this.#folder)}-${this.#record.id.slice(0, 16)}`;
    return path.join(SHARED_MEMORY, name);
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  const [pid = '', start = ''] = readText(file).trim().split(' ');
  const holder = { pid: Number(pid), start };
  return start !== '' && isAlive(holder, true) ? holder : undefined;
}

/** Removes a file of a sandbox whose creation was not completed; kills the holder that the file names. */
export async function removeLeftover(file: string): Promise<void> {
  const holder = file.endsWith('.holder') ? readHolder(file) : undefined;
  if (holder) signalProcess(holder, 'SIGKILL', true);
  await rm(file, { force: true });
}

/** Removes the /dev/shm folders of unknown sandboxes. */
export async function sweepSharedMemory(
  folder: string,
  sandboxes: readonly Sandbox[],
): Promise<void> {
  const known = new Set(sandboxes.map((sandbox) => sandbox.sharedMemory));
  const prefix = `podkeep-${keyOf(folder)}-`;
  for (const name of await readdir(SHARED_MEMORY).catch(() => [])) {
    const file = path.join(SHARED_MEMORY, name);
    const isUnknown =
      name.startsWith(prefix) && !name.startsWith(`${prefix}memory-`) && !known.has(file);
    if (isUnknown) await rm(file, { recursive: true, force: true });
  }
}
