/** A containerd and the runtime over it, with helpers for most tests. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { RuntimeContainer } from '../../../src/api/runtime-pod.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import type { ContainerConfig } from '../../../src/ports/runtime/container-config.ts';
import type { PodRuntime } from '../../../src/ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../../src/ports/runtime/sandbox-config.ts';
import { openCriRuntime } from '../../../src/runtimes/cri/cri-runtime.ts';
import type { CriRuntimeOptions } from '../../../src/runtimes/cri/options.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import { containerConfigOf, sandboxConfigOf } from '../../support/runtime-configs.ts';
import { silentLog } from '../../support/silent-ports.ts';
import type { Containerd } from './containerd.ts';
import { BUSYBOX } from './images/test-images.ts';

export const NEVER: AbortSignal = new AbortController().signal;
const PATIENCE_MS = 60_000;

export class CriBench {
  readonly containerd: Containerd;
  readonly runtime: PodRuntime;
  /** An empty folder of this machine. */
  readonly folder: string;
  #pods = 0;

  private constructor(containerd: Containerd, runtime: PodRuntime, folder: string) {
    this.containerd = containerd;
    this.runtime = runtime;
    this.folder = folder;
  }

  static async open(
    containerd: Containerd,
    changes: Partial<CriRuntimeOptions> = {},
  ): Promise<CriBench> {
    const { endpoint } = containerd;
    const options = { endpoint, clock: systemClock, log: silentLog, ...changes };
    const parent = path.join(containerd.folder, 'bench');
    mkdirSync(parent, { recursive: true });
    const folder = mkdtempSync(path.join(parent, 'case-'));
    return new CriBench(containerd, await openCriRuntime(options), folder);
  }

  /** Also ends and removes whatever is left. */
  async close(): Promise<void> {
    for (const { pod } of await this.runtime.list()) {
      for (const { id } of pod.sandboxes) await this.runtime.removeSandbox(id);
    }
    await this.runtime.close();
  }

  /** A new pod each time. */
  runSandbox(changes: Partial<SandboxConfig> = {}): Promise<string> {
    this.#pods += 1;
    const podUid = changes.podUid ?? `bench-${this.#pods}`;
    const config = sandboxConfigOf({
      podUid,
      podName: podUid,
      hostname: podUid,
      logFolder: path.join(this.folder, podUid),
      cgroupParent: `${this.containerd.cgroupRoot}/${podUid}`,
      ...changes,
    });
    return this.runtime.runSandbox(config, NEVER);
  }

  async start(
    script: string,
    changes: Partial<ContainerConfig> = {},
    sandboxId?: string,
  ): Promise<string> {
    const sandbox = sandboxId ?? (await this.runSandbox());
    const config = containerConfigOf({
      image: BUSYBOX,
      imageRef: BUSYBOX,
      command: ['sh', '-c', script],
      ...changes,
    });
    const id = await this.runtime.createContainer(sandbox, config, NEVER);
    await this.runtime.startContainer(id);
    return id;
  }

  async container(id: string): Promise<RuntimeContainer> {
    const entries = await this.runtime.list();
    const found = entries.flatMap(({ pod }) => pod.containers).find((each) => each.id === id);
    if (!found) throw new Error(`there is no container ${id}`);
    return found;
  }

  async exited(id: string): Promise<RuntimeContainer> {
    await this.wait(
      'the container to end',
      async () => (await this.container(id)).state === 'exited',
    );
    return this.container(id);
  }

  async wait(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    await waitFor({ what, deadlineMs: PATIENCE_MS }, async () =>
      (await isTrue()) ? true : undefined,
    );
  }

  async execute(id: string, script: string): Promise<string> {
    const request = { command: ['sh', '-c', script], timeoutSeconds: 30 };
    const { stdout } = await this.runtime.execSync(id, request, NEVER);
    return Buffer.from(stdout).toString();
  }
}
