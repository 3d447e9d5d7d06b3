/** Makes containers: decides what they are, writes that down, and gets them ready to start. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import { decideRecord } from './container-record.ts';
import type { ContainerWorld } from './container-world.ts';
import { Container } from './container.ts';
import { containerNotRunning, runtimeConflict, sandboxNotReady } from './errors.ts';
import type { ProcessImages } from './images.ts';
import { writeJson } from './json-file.ts';
import { containerFolder, templatesFolder } from './layout.ts';
import type { Limits } from './limits.ts';
import { MachineTops } from './machine-tops.ts';
import { folderMode, type Machine } from './machine.ts';
import type { ProcessRuntimeOptions } from './options.ts';
import { warnOfClashes } from './pod-warnings.ts';
import { HostMounts } from './mount-table.ts';
import { prepareContainer } from './preparation.ts';
import type { Registry } from './registry.ts';
import type { Sandbox } from './sandbox.ts';
import type { Launch } from './spawn-init.ts';

export interface FactoryParts {
  readonly options: ProcessRuntimeOptions;
  readonly machine: Machine;
  readonly world: ContainerWorld;
  readonly registry: Registry;
  readonly images: ProcessImages;
  readonly limits: Limits;
  readonly newId: () => string;
}

export class ContainerFactory {
  readonly #parts: FactoryParts;
  readonly #tops = new MachineTops();
  readonly #hostMounts = new HostMounts();

  constructor(parts: FactoryParts) {
    this.#parts = parts;
  }

  /** Returns the ID. With its record the container exists, and not before. */
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
    const record = { ...decided, cgroups: limits.groupsOf(decided.id) };
    makeAnew(folder, folderMode(machine));
    writeJson(path.join(folder, 'config.json'), record);
    registry.addContainer(new Container(record, folder, world));
    return record.id;
  }

  /** Of two runs of one container, only one may ever be there: also if the other is still to come. */
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

  async prepare(container: Container, sandbox: Sandbox): Promise<Launch> {
    const { record, folder } = container;
    const { options, machine, registry, limits, world } = this.#parts;
    const { folder: base, hiddenFolders = [], events } = options;
    const nowMs = options.clock.now();
    warnOfClashes(sandbox, registry.sandboxes, events);
    return prepareContainer({
      record,
      sandbox: sandbox.record,
      folder,
      machine,
      initScript: path.join(base, 'init.sh'),
      place: container.place,
      hasHand: world.hand !== undefined,
      templates: templatesFolder(base),
      nowMs,
      tops: () => this.#tops.list(nowMs),
      hostMounts: this.#hostMounts,
      groupSettings: limits.settings(record.cgroups, record.config.resources),
      hidden: [base, ...hiddenFolders],
      mounts: sandbox.mounts(record.config.mounts),
      sharedMemory: sandbox.sharedMemory,
      joinedPid: this.#joinedPid(container, sandbox),
    });
  }

  #joinedPid({ record }: Container, sandbox: Sandbox): number | undefined {
    const target = record.config.security.targetContainerId;
    if (target === undefined) return sandbox.holder()?.pid;
    const { init, state } = this.#parts.registry.requireContainer(target);
    if (!init) throw containerNotRunning({ id: target, state });
    return init.pid;
  }
}

/** A folder of that name may be left of a container that was never complete. */
function makeAnew(folder: string, mode: number): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(folder, { recursive: true, mode });
}

function nameOf({ record }: Sandbox): string {
  return `${record.config.namespace}/${record.config.podName}`;
}
