/**
 * A PodRuntime that runs containers as processes of this machine, without images, daemon or root.
 *
 * All state of containers is in a data folder (layout.ts). Monitor processes and scripts (shell/scripts.ts)
 * run the containers, and keep running without podkeep. An instance of this class manages the folder while it
 * is open. After any end of an instance, even a kill, the next one finds everything that was acknowledged.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Duplex } from 'node:stream';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { ContainerConfig, ContainerResources } from '../../ports/runtime/container-config.ts';
import type {
  PodRuntime,
  RuntimeEvent,
  RuntimePodEntry,
  RuntimeStatus,
  RuntimeVersion,
} from '../../ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import type { ContainerStats, SandboxStats } from '../../ports/runtime/stats.ts';
import type {
  ExecRequest,
  ExecResult,
  StreamRequest,
  Streams,
} from '../../ports/runtime/streams.ts';
import { MemoryFolder } from '../../lib/memory-folder.ts';
import { endAbandoned } from './container/abandoned.ts';
import { attachTo } from './container/attachment.ts';
import { ContainerFactory } from './container/container-factory.ts';
import type { ContainerWorld } from './container/container-world.ts';
import { Container } from './container/container.ts';
import { containerNotRunning, runtimeConflict } from './errors.ts';
import { execToEnd, execWithStreams, type StartExec } from './container/exec.ts';
import { ProcessImages } from './images/images.ts';
import { startGuard, type EndGuard } from './folder-guard.ts';
import { hasScripts, unlockFolder, openFolders, lockFolder } from './folder-lock.ts';
import { rootPlace } from './layout.ts';
import { examineMachine, type Machine } from './machine/machine.ts';
import { Limits } from './machine/limits.ts';
import { Network } from './sandbox/network.ts';
import { OncePerKey } from './once-per-key.ts';
import type { ProcessRuntimeOptions } from './options.ts';
import { PodWarnings, warnOfMachine } from './sandbox/pod-warnings.ts';
import { connectToPort, ownsPort } from './sandbox/port-connection.ts';
import { readProcesses } from './machine/proc-table.ts';
import { punchHole } from './logs/punch-hole.ts';
import { sweepPrivateParts } from './record-file.ts';
import { isOld, type SandboxRecord } from './container/records.ts';
import { Registry } from './container/registry.ts';
import { RunningExecs } from './container/running-execs.ts';
import { removeLeftover, Sandbox, sweepSharedMemory } from './sandbox/sandbox.ts';
import { statsOfSandboxes, statsOf, type StatsSources } from './machine/stats.ts';
import { SeccompFilters } from './start/seccomp-filters.ts';
import { NOBODY } from './machine/user.ts';

const LOOK_MS = 1000;
const ID_BYTES = 32;

/** Throws RUNTIME_FOLDER_UNUSABLE or RUNTIME_FOLDER_IN_USE. */
export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<PodRuntime> {
  await lockFolder(options.folder);
  const machine = await examineMachine(options);
  await openFolders(options.folder, machine);
  const runtime = new ProcessRuntime(options, machine);
  await runtime.restore();
  return runtime;
}

class ProcessRuntime implements PodRuntime {
  readonly name = 'process';
  readonly images: ProcessImages;
  /** More than the CPUs, because most of a start is waiting for the disk or for the started process. */
  readonly parallelStarts = availableParallelism() * 4;
  readonly #options: ProcessRuntimeOptions;
  readonly #machine: Machine;
  readonly #network: Network;
  readonly #limits: Limits;
  readonly #warnings: PodWarnings;
  readonly #registry: Registry;
  readonly #memory: MemoryFolder;
  readonly #world: ContainerWorld;
  readonly #filters = new SeccompFilters();
  readonly #factory: ContainerFactory;
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  readonly #calls = new OncePerKey();
  readonly #execs = new RunningExecs();
  #cancelLook: Cancel | undefined;
  #isClosed = false;
  #endGuard: EndGuard = () => undefined;

  constructor(options: ProcessRuntimeOptions, machine: Machine) {
    const { folder, log, clock } = options;
    this.#options = options;
    this.#machine = machine;
    const { network: wish = 'auto', reachable: announce } = options;
    this.#network = new Network({ ...options, machine, wish, announce });
    this.#limits = new Limits({
      folder,
      hasGroups: machine.isLinux && options.cgroups !== 'none',
      podPidsLimit: options.podPidsLimit ?? -1,
      hasProcesses: machine.hasProcesses,
      execs: this.#execs,
    });
    this.#memory = new MemoryFolder({ dataFolder: folder });
    this.#warnings = new PodWarnings(options.events, {
      machine,
      limitsCpu: this.#limits.enforcesCpu,
      lacksPidsLimit: this.#limits.lacksPids,
      lacksMemory: this.#memory.open() === undefined,
      lacksRoute: options.masquerade !== true,
    });
    this.#registry = new Registry(folder, this.#memory);
    const { uid: defaultUid } = machine.uid === 0 ? (options.defaultUser ?? NOBODY) : machine;
    this.images = new ProcessImages({ folder, mappings: options.images ?? {}, log, defaultUid });
    this.#world = {
      machine,
      rootPlace: rootPlace(folder),
      memory: this.#memory,
      clock,
      log,
      punch: (file, bytes) => punchHole(machine.tools, file, bytes),
      wasOutOfMemory: (container) => this.#limits.wasOutOfMemory(container),
      emit: (event) => this.#emit(event),
    };
    this.#factory = new ContainerFactory({
      options,
      machine,
      world: this.#world,
      registry: this.#registry,
      images: this.images,
      limits: this.#limits,
      filters: this.#filters,
      warnings: this.#warnings,
      execs: this.#execs,
      newId: () => `${this.name}://${this.#newId()}`,
    });
  }

  async restore(): Promise<void> {
    const { folder, log } = this.#options;
    await this.#registry.restore({
      sandbox: (record) => this.#restoreSandbox(record),
      container: async (record, place) => {
        const container = new Container(record, place, this.#world);
        await container.restore();
        return container;
      },
      leftover: removeLeftover,
      abandoned: (place) => endAbandoned(place, this.#machine, this.#options.clock),
    });
    sweepPrivateParts(this.#registry.containers, this.#memory);
    this.#limits.sweep(this.#registry.containers);
    await this.#network.open();
    await this.#network.sweep();
    await sweepSharedMemory(folder, this.#registry.sandboxes);
    this.#endGuard = await startGuard(folder, this.#machine);
    if (this.#registry.running.length === 0) this.#factory.sweepTrees();
    this.#warnOfOldContainers();
    this.#machine.helper?.listen((line) => log.error('Syscall helper failed', { line }));
    this.#lookLater();
    log.info('Process runtime opened', {
      folder,
      isolation: this.#machine.isolation,
      obstacle: this.#machine.obstacle,
      containers: this.#registry.containers.length,
    });
    warnOfMachine(this.#machine, this.#limits.enforcesCpu, log);
  }

  async #restoreSandbox(record: SandboxRecord): Promise<Sandbox> {
    const sandbox = this.#sandboxOf(record);
    if (!record.isReady) return sandbox;
    const isIntact =
      record.bootId === this.#machine.bootId &&
      this.#network.isIntact(record) &&
      (!sandbox.sharesProcesses || sandbox.holder() !== undefined);
    if (isIntact) this.#network.adopt(record.id, record);
    else sandbox.save({ ...record, isReady: false });
    return sandbox;
  }

  #warnOfOldContainers(): void {
    for (const { record } of this.#registry.running) {
      const sandbox = this.#registry.sandbox(record.sandboxId);
      if (isOld(record) && sandbox) this.#warnings.ofAdopted(sandbox, record.config.name);
    }
  }

  #sandboxOf(record: SandboxRecord): Sandbox {
    return new Sandbox(record, this.#options.folder, this.#machine, this.#filters);
  }

  version(): Promise<RuntimeVersion> {
    const { version = 'unknown' } = this.#options;
    return Promise.resolve({ name: 'podkeep-process', version });
  }

  status(): Promise<RuntimeStatus> {
    return Promise.resolve({
      isReady: !this.#isClosed && existsSync(this.#options.folder),
      isNetworkReady: true,
      features: {
        enforcesCpu: this.#limits.enforcesCpu,
        // Without control groups podkeep enforces it by sampling.
        enforcesMemory: this.#machine.isLinux,
        hasMounts: this.#machine.isolation !== 'none',
        hasPodAddresses: this.#network.hasNamespaces,
        hasUserNamespaces: this.#machine.mapsUsers || this.#machine.isolation === 'user',
      },
    });
  }

  list(): Promise<readonly RuntimePodEntry[]> {
    return Promise.resolve(this.#registry.list());
  }

  inspect(podUid: string): Promise<RuntimePod> {
    return Promise.resolve(this.#registry.inspect(podUid));
  }

  follow(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    return this.#calls.run(`${config.podUid}/${config.attempt}`, () =>
      this.#runSandbox(config, signal),
    );
  }

  async #runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const there = this.#registry.sandboxOf(config);
    const pod = `${config.namespace}/${config.podName}`;
    if (there?.record.isReady) return there.id;
    if (there) throw runtimeConflict({ what: `a sandbox of ${pod}`, reason: 'it was stopped' });
    const id = this.#newId();
    const connection = await this.#network.connect(id, config);
    const { bootId } = this.#machine;
    const createdAtMs = this.#options.clock.now();
    const record = { id, config, createdAtMs, bootId, ...connection, isReady: false };
    const sandbox = this.#sandboxOf(record);
    try {
      await sandbox.create();
    } catch (error) {
      await sandbox.release();
      await this.#network.disconnect(id, connection);
      throw error;
    }
    this.#registry.addSandbox(sandbox);
    this.#warnings.ofSandbox(sandbox);
    this.#emit({ podUid: config.podUid, type: 'sandboxChanged' });
    return id;
  }

  async stopSandbox(id: string): Promise<void> {
    const sandbox = this.#registry.sandbox(id);
    if (!sandbox?.record.isReady) return;
    const containers = this.#registry.containersIn(id);
    await Promise.all(containers.map((container) => container.stop(0)));
    await sandbox.release();
    await this.#network.disconnect(id, sandbox.record);
    sandbox.save({ ...sandbox.record, isReady: false });
    this.#emit({ podUid: sandbox.record.config.podUid, type: 'sandboxChanged' });
  }

  async removeSandbox(id: string): Promise<void> {
    const sandbox = this.#registry.sandbox(id);
    if (!sandbox) return;
    await this.stopSandbox(id);
    for (const { record } of this.#registry.containersIn(id)) await this.removeContainer(record.id);
    sandbox.remove();
    await this.#registry.deleteSandbox(id);
    this.#warnings.forget(sandbox.record.config.podUid);
    this.#emit({ podUid: sandbox.record.config.podUid, type: 'sandboxChanged' });
  }

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    signal: AbortSignal,
  ): Promise<string> {
    const key = `${sandboxId}/${config.name}/${config.attempt}`;
    return this.#calls.run(key, () => this.#factory.create(sandboxId, config, signal));
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#registry.requireContainer(id);
    const sandbox = this.#registry.requireSandbox(container.record.sandboxId);
    await container.start(() => this.#factory.prepare(container, sandbox));
    this.#lookLater();
  }

  async stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    await this.#registry.container(id)?.stop(graceSeconds, signal);
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#registry.container(id);
    if (!container) return;
    const { record } = container;
    await container.remove();
    this.#limits.remove(record.cgroups);
    await this.#registry.deleteContainer(id);
    this.#emit({ podUid: record.podUid, type: 'containerRemoved', containerId: id });
  }

  async updateResources(id: string, resources: ContainerResources): Promise<void> {
    const container = this.#registry.requireContainer(id);
    const { record } = container;
    const merged = { ...record.config.resources, ...resources };
    this.#limits.update(record, merged);
    container.update({ ...record, config: { ...record.config, resources: merged } });
  }

  async reopenLog(id: string): Promise<void> {
    const container = this.#registry.requireContainer(id);
    if (container.state !== 'running') throw containerNotRunning({ id, state: container.state });
    await container.reopenLog();
  }

  async execSync(id: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    return execToEnd(this.#execIn(id), this.#options.clock, request, signal);
  }

  async exec(id: string, command: readonly string[], request: StreamRequest): Promise<Streams> {
    return execWithStreams(this.#execIn(id), command, request);
  }

  async attach(id: string, request: StreamRequest): Promise<Streams> {
    return attachTo(this.#registry.requireContainer(id), request);
  }

  async connectPort(sandboxId: string, port: number): Promise<Duplex> {
    return connectToPort(this.#registry, this.#machine, sandboxId, port);
  }

  async ownsPort(ip: string, port: number): Promise<boolean> {
    return ownsPort(this.#registry, this.#machine, ip, port);
  }

  #execIn(id: string): StartExec {
    const container = this.#registry.requireContainer(id);
    return (request) => this.#factory.exec(container, request);
  }

  containerStats(): Promise<readonly ContainerStats[]> {
    const sources = this.#sources();
    return Promise.resolve(this.#registry.running.map((container) => statsOf(container, sources)));
  }

  sandboxStats(): Promise<readonly SandboxStats[]> {
    return Promise.resolve(statsOfSandboxes(this.#registry, this.#sources()));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelLook?.();
    this.#listeners.clear();
    await Promise.all(this.#registry.containers.map((container) => container.close()));
    await this.#network.close();
    const { containers } = this.#registry;
    const living = containers.filter((each) => each.init !== undefined || each.isStarting);
    // Only running containers need their control groups; one that starts later gets new groups.
    this.#limits.close(living);
    // The next podkeep may start containers that were only created, unless the data folder was deleted.
    sweepPrivateParts(hasScripts(this.#options.folder) ? containers : living, this.#memory);
    this.#memory.close();
    await unlockFolder(this.#options.folder, containers.length === 0);
    if (!this.#registry.hasRunning) this.#endGuard();
  }

  readonly #newId = (): string => Buffer.from(this.#options.random.bytes(ID_BYTES)).toString('hex');

  #sources(): StatsSources {
    return { clock: this.#options.clock, limits: this.#limits, table: readProcesses() };
  }

  #emit(event: RuntimeEvent): void {
    // Also for a container that an earlier podkeep process started.
    if (event.type === 'containerStarted') this.#lookLater();
    for (const listener of this.#listeners) listener(event);
  }

  /** Polls running containers once a second, for as long as there are any. */
  #lookLater(): void {
    if (this.#cancelLook || this.#isClosed || this.#registry.running.length === 0) return;
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      for (const container of this.#registry.running) container.look();
      this.#limits.sample(this.#registry.running);
      this.#lookLater();
    });
  }
}
