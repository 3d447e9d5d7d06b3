/**
 * Holds all sandboxes and containers of the process runtime, and lists them as pods.
 *
 * At start the registry reads them from disk. An object without a record was never acknowledged (podkeep was
 * killed while it created the object), so it is removed.
 */
import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { resourcesOfKernel } from '../../../api/kernel-resources.ts';
import type { RuntimeContainer, RuntimePod } from '../../../api/runtime-pod.ts';
import type { RuntimePodEntry } from '../../../ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';
import { runtimeNotFound } from '../errors.ts';
import type { Container } from './container.ts';
import { isMissing, readJson } from '../json-file.ts';
import { podFolder, podsFolder } from '../layout.ts';
import { readRecord, type Memory } from '../record-file.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

export interface Restorer {
  sandbox(record: SandboxRecord): Promise<Sandbox>;
  container(record: ContainerRecord, folder: string): Promise<Container>;
  /** Removes a file of a sandbox whose creation was not completed. */
  leftover(file: string): Promise<void>;
  /** Ends a container without a readable record. */
  abandoned(folder: string): Promise<void>;
}

export class Registry {
  readonly #folder: string;
  readonly #memory: Memory;
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #containers = new Map<string, Container>();

  constructor(folder: string, memory: Memory) {
    this.#folder = folder;
    this.#memory = memory;
  }

  /** Whether any container or sandbox has a process. */
  get hasRunning(): boolean {
    const isRunning = this.containers.some(
      ({ init, isStarting }) => init !== undefined || isStarting,
    );
    return isRunning || this.sandboxes.some((sandbox) => sandbox.report().ready);
  }

  get sandboxes(): readonly Sandbox[] {
    return [...this.#sandboxes.values()];
  }

  get containers(): readonly Container[] {
    return [...this.#containers.values()];
  }

  get running(): readonly Container[] {
    return this.containers.filter(({ init }) => init !== undefined);
  }

  addSandbox(sandbox: Sandbox): void {
    this.#sandboxes.set(sandbox.id, sandbox);
  }

  addContainer(container: Container): void {
    this.#containers.set(container.record.id, container);
  }

  sandbox(id: string): Sandbox | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): Container | undefined {
    return this.#containers.get(id);
  }

  sandboxOf({ podUid, attempt }: SandboxConfig): Sandbox | undefined {
    const isOne = ({ config }: SandboxRecord): boolean =>
      config.podUid === podUid && config.attempt === attempt;
    return this.sandboxes.find(({ record }) => isOne(record));
  }

  requireSandbox(id: string): Sandbox {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw runtimeNotFound({ what: 'sandbox', id });
    return sandbox;
  }

  requireContainer(id: string): Container {
    const container = this.#containers.get(id);
    if (!container) throw runtimeNotFound({ what: 'container', id });
    return container;
  }

  containersIn(sandboxId: string): readonly Container[] {
    return this.containers.filter(({ record }) => record.sandboxId === sandboxId);
  }

  async deleteSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    this.#sandboxes.delete(id);
    if (sandbox) await this.#removeEmptyPod(sandbox.record.config.podUid);
  }

  async deleteContainer(id: string): Promise<void> {
    const container = this.#containers.get(id);
    this.#containers.delete(id);
    if (container) await this.#removeEmptyPod(container.record.podUid);
  }

  /** Removes the folder of a pod if it is empty. */
  async #removeEmptyPod(podUid: string): Promise<void> {
    await rmdir(podFolder(this.#folder, podUid)).catch(() => undefined);
  }

  inspect(podUid: string): RuntimePod {
    const sandboxes = this.sandboxes
      .filter(({ record }) => record.config.podUid === podUid)
      .toSorted((a, b) => b.record.config.attempt - a.record.config.attempt);
    const containers = this.containers
      .filter(({ record }) => record.podUid === podUid)
      .toSorted(
        (a, b) =>
          b.record.createdAtMs - a.record.createdAtMs ||
          b.record.config.attempt - a.record.config.attempt,
      );
    const [newest] = sandboxes;
    const hasAddress = newest?.record.isReady === true && newest.ip !== '';
    return {
      sandboxes: sandboxes.map((sandbox) => sandbox.report()),
      containers: containers.map(reportOf),
      ips: hasAddress ? [newest.ip] : [],
    };
  }

  list(): readonly RuntimePodEntry[] {
    const entries = new Map<string, RuntimePodEntry>();
    for (const { record } of this.sandboxes) {
      const { podUid: uid, podName: name, namespace } = record.config;
      if (!entries.has(uid)) entries.set(uid, { uid, name, namespace, pod: this.inspect(uid) });
    }
    for (const { record } of this.containers) {
      const uid = record.podUid;
      if (entries.has(uid)) continue;
      // The sandbox is gone; the container's labels still name the pod.
      const { labels } = record.config;
      const name = labels['io.kubernetes.pod.name'] ?? '';
      const namespace = labels['io.kubernetes.pod.namespace'] ?? '';
      entries.set(uid, { uid, name, namespace, pod: this.inspect(uid) });
    }
    return [...entries.values()];
  }

  async restore(restorer: Restorer): Promise<void> {
    const uids = await list(podsFolder(this.#folder));
    await Promise.all(uids.map((uid) => this.#restorePod(uid, restorer)));
  }

  async #restorePod(uid: string, restorer: Restorer): Promise<void> {
    const folder = path.join(podsFolder(this.#folder), uid);
    const files = await list(folder);
    const known = new Set<string>();
    for (const name of files) {
      const [, attempt] = /^sandbox-(\d+)\.json$/.exec(name) ?? [];
      if (attempt === undefined) continue;
      const record = await readJson<SandboxRecord>(path.join(folder, name));
      if (!record) continue;
      known.add(attempt);
      this.addSandbox(await restorer.sandbox(record));
    }
    // The next sandbox of this attempt overwrites these files, so a holder process that they name must be
    // ended first.
    for (const name of files) {
      const [, attempt] = /^sandbox-(\d+)\.(?:resolv\.conf|holder|json\.new)$/.exec(name) ?? [];
      const isOrphan = attempt !== undefined && !known.has(attempt);
      if (isOrphan) await restorer.leftover(path.join(folder, name));
    }
    const names = files.filter((name) => !name.startsWith('sandbox-') || !name.includes('.'));
    await Promise.all(
      names.map(async (name) => {
        const place = path.join(folder, name);
        const record = await readRecord(place, this.#memory);
        if (record) {
          this.addContainer(await restorer.container(record, place));
          return;
        }
        await restorer.abandoned(place);
        await rm(place, { recursive: true, force: true });
      }),
    );
    await this.#removeEmptyPod(uid);
  }
}

function reportOf(container: Container): RuntimeContainer {
  const { record, state, result, startedAtMs } = container;
  const { id, config, sandboxId, createdAtMs, user } = record;
  // A container that never ran but has ended reports 1970 as its start, as in other runtimes.
  const beganAtMs = startedAtMs ?? (result ? 0 : undefined);
  return {
    id,
    name: config.name,
    state,
    sandboxID: sandboxId,
    restartCount: config.attempt,
    image: config.image,
    imageRef: config.imageRef,
    createdAt: timeText(createdAtMs),
    ...(beganAtMs === undefined ? {} : { startedAt: timeText(beganAtMs) }),
    ...(result
      ? {
          finishedAt: timeText(result.finishedAtMs),
          exitCode: result.exitCode,
          reason: result.reason,
          ...(result.message === undefined ? {} : { message: result.message }),
        }
      : {}),
    resources: resourcesOfKernel(config.resources),
    user: { linux: { uid: user.uid, gid: user.gid, supplementalGroups: [...user.groups] } },
  };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
