/** One sandbox: its record, and the process that holds shared namespaces of its containers, if any. */
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

  /** Creates the files that the pod's containers share. The record comes last: with it the sandbox exists. */
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

  /** Releases its resources; the record stays. */
  async release(): Promise<void> {
    const holder = readHolder(this.#file('holder'));
    if (holder) signalProcess(holder, 'SIGKILL', this.#machine.isLinux);
    // Otherwise it goes with the pod's namespaces.
    if (this.#hasSharedMemory() && this.#record.files === undefined) {
      await rm(this.#sharedMemory(), { recursive: true, force: true });
    }
  }

  remove(): void {
    for (const kind of ['resolv.conf', 'holder', 'json'] as const) {
      rmSync(this.#file(kind), { force: true });
    }
  }

  /** The mounts of every container of the pod, unless its spec mounts something there. */
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

  /** The first process of the process namespace that its containers share. */
  holder(): ProcessIdentity | undefined {
    return this.sharesProcesses ? readHolder(this.#file('holder')) : undefined;
  }

  /** The process whose mount namespace has the pod's /dev/shm, where the machine cannot see one. */
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
        // Looks like a command line: the guard finds the process by it.
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
   * An ordinary user can mount memory only in a namespace, which the holder of the pod keeps. A pod of an
   * earlier version has a folder in the machine's /dev/shm.
   */
  #hasSharedMemory(): boolean {
    const { isolation } = this.#machine;
    return isolation === 'root' || (isolation === 'user' && existsSync(this.#sharedMemory()));
  }

  /** Containers reach it only through their own /dev. */
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

/** Ends and removes what is left of a sandbox that was never complete. */
export async function removeLeftover(file: string): Promise<void> {
  const holder = file.endsWith('.holder') ? readHolder(file) : undefined;
  if (holder) signalProcess(holder, 'SIGKILL', true);
  await rm(file, { force: true });
}

/** The same for the memory of unknown sandboxes. */
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
