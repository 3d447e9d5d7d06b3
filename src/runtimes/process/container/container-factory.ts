/**
 * Creates containers and prepares their start: decides the record, writes it, and builds the order for the
 * syscall helper.
 */
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ContainerConfig, Mount } from '../../../ports/runtime/container-config.ts';
import { decideRecord, setupOf } from './container-record.ts';
import type { ContainerWorld } from './container-world.ts';
import { Container, type StartMonitor } from './container.ts';
import {
  containerNotRunning,
  containerNotStarted,
  helperUnavailable,
  runtimeConflict,
  sandboxNotReady,
} from '../errors.ts';
import { imageMounts, SHOWN_FOLDERS } from '../image-folders.ts';
import type { ProcessImages } from '../images/images.ts';
import type { ShownTree } from './missing-command.ts';
import { containerFolder, treesFolder } from '../layout.ts';
import type { Limits } from '../machine/limits.ts';
import { folderMode, type Machine } from '../machine/machine.ts';
import type { ProcessRuntimeOptions } from '../options.ts';
import { warnOfClashes, type PodWarnings } from '../sandbox/pod-warnings.ts';
import { HostMounts, isInside } from '../machine/mount-table.ts';
import type { ProcessIdentity } from '../machine/proc-table.ts';
import type { Registry } from './registry.ts';
import type { RunningExecs } from './running-execs.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { spawnInit } from '../shell/spawn-init.ts';
import { containerOrder } from '../start/container-order.ts';
import { makeFiles, type Preparation } from '../start/preparation.ts';
import type { SeccompFilters, SeccompFilter } from '../start/seccomp-filters.ts';
import { execOrder } from '../start/exec-order.ts';
import { shellExec } from '../shell/shell-exec.ts';
import type { RunningExec } from '../../../lib/syscall-helper/exec-pipes.ts';
import type { CommandRequest } from './exec.ts';
import { MachineTrees } from '../root/machine-tree.ts';
import { environmentOfProcess, writeRecord } from '../record-file.ts';
import { isOld, type ContainerRecord } from './records.ts';

export interface FactoryParts {
  readonly options: ProcessRuntimeOptions;
  readonly machine: Machine;
  readonly world: ContainerWorld;
  readonly registry: Registry;
  readonly images: ProcessImages;
  readonly limits: Limits;
  readonly filters: SeccompFilters;
  readonly warnings: PodWarnings;
  readonly execs: RunningExecs;
  readonly newId: () => string;
}

export class ContainerFactory {
  readonly #parts: FactoryParts;
  readonly #trees: MachineTrees;
  readonly #hostMounts = new HostMounts();
  readonly #filters: SeccompFilters;

  constructor(parts: FactoryParts) {
    this.#parts = parts;
    this.#filters = parts.filters;
    const { folder, tree = [] } = parts.options;
    this.#trees = new MachineTrees({ folder: treesFolder(folder), shown: tree });
  }

  /** Removes unused skeletons of the machine tree. Call only while no container runs. */
  sweepTrees(): void {
    this.#trees.sweep();
  }

  /** Returns the ID. The container exists from the moment its record is written. */
  async create(sandboxId: string, config: ContainerConfig, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const { options, machine, registry, images, limits, newId, world } = this.#parts;
    const sandbox = registry.requireSandbox(sandboxId);
    const { podUid } = sandbox.record.config;
    const folder = containerFolder(options.folder, podUid, config.name, config.attempt);
    const there = registry.containers.find((container) => container.folder === folder);
    if (there) return this.#idOf(there, sandbox);
    if (!sandbox.record.isReady) {
      throw sandboxNotReady({ pod: nameOf(sandbox), reason: 'it was stopped' });
    }
    this.#renounceOthers(sandbox, config.name);
    const image = await images.resolve(config.image, config.command.length > 0, signal);
    const decided = decideRecord({
      id: newId(),
      sandboxId,
      sandbox: sandbox.record.config,
      config,
      image,
      machine,
      options,
    });
    const record = { ...decided, cgroups: limits.groupsOf(decided.id, podUid) };
    remakeFolder(folder, folderMode(machine));
    writeRecord(folder, record, world.memory);
    registry.addContainer(new Container(record, folder, world));
    return record.id;
  }

  /**
   * Makes sure that an earlier run that was created but not started never starts. Throws RUNTIME_CONFLICT if
   * it is starting.
   */
  #renounceOthers(sandbox: Sandbox, name: string): void {
    const { podUid } = sandbox.record.config;
    for (const container of this.#parts.registry.containers) {
      const { record, state } = container;
      if (record.podUid !== podUid || record.config.name !== name || state !== 'created') continue;
      if (container.renounce()) continue;
      throw runtimeConflict({
        what: `container ${name} of ${nameOf(sandbox)}`,
        reason: `attempt ${record.config.attempt} is about to start`,
      });
    }
  }

  #idOf({ state, record }: Container, sandbox: Sandbox): string {
    if (state === 'created' && record.sandboxId === sandbox.id) return record.id;
    const { name, attempt } = record.config;
    throw runtimeConflict({
      what: `container ${name} of ${nameOf(sandbox)}`,
      reason: `attempt ${attempt} is there already`,
    });
  }

  async prepare(container: Container, sandbox: Sandbox): Promise<StartMonitor> {
    const { options, machine, registry } = this.#parts;
    warnOfClashes(sandbox, registry.sandboxes, options.events);
    this.#parts.warnings.ofContainer(sandbox, container.record.config);
    const { helper } = machine;
    if (container.record.privatePart === 'lost') {
      const reason = 'its environment was in memory, and is gone';
      throw containerNotStarted({ name: container.record.config.name, reason });
    }
    if (!helper && options.helper !== 'none') {
      throw helperUnavailable({ reason: machine.obstacle });
    }
    // A container that an earlier version of podkeep created but did not start is started in this version's
    // way.
    if (isOld(container.record)) container.update({ ...container.record, setup: setupOf(machine) });
    const preparation = this.#preparationOf(container, sandbox);
    makeFiles(preparation);
    if (!helper) return (onExit, onError) => spawnInit(preparation, { onExit, onError });
    const order = containerOrder(preparation);
    return (onExit, onError) => helper.run(order, onExit, onError);
  }

  #preparationOf(container: Container, sandbox: Sandbox): Preparation {
    const { record, folder } = container;
    const { options, machine, limits, world } = this.#parts;
    const { folder: base, clock, logs = LOGS } = options;
    const nowMs = clock.now();
    return {
      record,
      sandbox: sandbox.record,
      folder,
      machine,
      marker: path.join(base, 'init.sh'),
      place: container.place,
      machineTree: () => this.#trees.get(this.#hostMounts.list(nowMs), nowMs),
      shown: this.#shown(record),
      groupSettings: limits.settings(record.cgroups, record.config.resources, record.podUid),
      mounts: this.#mountsOf(record, sandbox),
      sharedMemory: sandbox.sharedMemory,
      memoryHolder: sandbox.memoryHolder(),
      joined: this.#joined(container, sandbox),
      log: logs,
      seccomp: this.#seccompOf(record),
      waitingSeccomp: machine.isLinux ? this.#filters.ofWaiting() : undefined,
      hidden: this.#hidden(record),
      pidMax: record.processes === 'own' ? limits.pids.pidMax : undefined,
      env: envOf(container, machine),
      memory: world.memory,
    };
  }

  /**
   * podkeep's own folders (keys, data) inside folders of the machine that the container sees: to be covered.
   */
  #hidden(record: ContainerRecord): readonly string[] {
    const { folder, hiddenFolders = [] } = this.#parts.options;
    const { folders: shown } = this.#shown(record);
    const real = [folder, ...hiddenFolders].map((each) => realPath(each));
    return real.filter((each) => shown.some((top) => isInside(each, top)));
  }

  #shown({ shown = [] }: ContainerRecord): ShownTree {
    const { tree = [], machinePath = '' } = this.#parts.options;
    return { folders: [...SHOWN_FOLDERS, ...tree, ...shown], machinePath };
  }

  /** Without isolation there are no mounts for the image: the container sees the machine's own folders. */
  #mountsOf({ config, shown = [] }: ContainerRecord, sandbox: Sandbox): readonly Mount[] {
    const { isolation } = this.#parts.machine;
    const ofImage = isolation === 'none' ? [] : imageMounts(shown, config.mounts);
    return [...ofImage, ...sandbox.mounts(config.mounts)];
  }

  #seccompOf({ config }: ContainerRecord): SeccompFilter | undefined {
    if (!this.#parts.machine.isLinux) return undefined;
    return this.#filters.of(config.name, config.security);
  }

  /** Runs a command in a running container. Throws CONTAINER_NOT_RUNNING. */
  async exec(container: Container, request: CommandRequest): Promise<RunningExec> {
    const { machine, registry } = this.#parts;
    const { record, init, command: main, state } = container;
    if (!init || !main || state !== 'running') throw containerNotRunning({ id: record.id, state });
    const env = envOf(container, machine);
    const { command, stdin, tty } = request;
    if (!machine.helper || !machine.isLinux) {
      return shellExec({ record, machine, command, env, stdin });
    }
    const order = execOrder({
      record,
      sandbox: registry.requireSandbox(record.sandboxId).record,
      machine,
      init,
      main,
      command,
      env,
      stdin,
      tty,
      seccomp: this.#seccompOf(record),
      oldRoot: isOld(record) ? path.join(container.place, 't', 'r') : undefined,
      shown: this.#shown(record),
    });
    const run = await machine.helper.exec(order);
    void run.exited.finally(this.#parts.execs.add(record.id, run.pid)).catch(() => undefined);
    return run;
  }

  #joined({ record }: Container, sandbox: Sandbox): ProcessIdentity | undefined {
    const target = record.config.security.targetContainerId;
    if (target === undefined) return sandbox.holder();
    const { init, state } = this.#parts.registry.requireContainer(target);
    if (!init) throw containerNotRunning({ id: target, state });
    return init;
  }
}

/** The kubelet's defaults for log rotation. */
const LOGS = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };

/** Without isolation there are no mounts: PODKEEP_ROOT names the folder with links to the volumes. */
function envOf(container: Container, { isolation }: Machine): ContainerRecord['env'] {
  const { record, place, command } = container;
  if (record.privatePart === 'lost') return command ? environmentOfProcess(command.pid) : [];
  return isolation === 'none' ? [['PODKEEP_ROOT', place], ...record.env] : record.env;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // A missing folder has no real path, and need not be hidden.
    return file;
  }
}

/** podkeep may have been killed while it created this container before, and have left the folder. */
function remakeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(folder, { recursive: true, mode });
}

function nameOf({ record }: Sandbox): string {
  return `${record.config.namespace}/${record.config.podName}`;
}
