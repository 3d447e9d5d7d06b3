/** Runs, stops and removes pod sandboxes with CRI calls; each operation may be repeated. */
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import { hasCode } from './errors.ts';
import { POD_UID } from './labels.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import { Pending } from './pending.ts';
import { sandboxMessage } from './requests/sandbox-request.ts';
import type { SandboxCache } from './sandbox-cache.ts';
import type { CriService } from './wire/cri-service.ts';

export class SandboxOperations {
  readonly #service: CriService;
  readonly #sandboxes: SandboxCache;
  readonly #runTimeoutMs: number;
  readonly #pending = new Pending<string>();

  /** RunPodSandbox gets twice the timeout, as in the kubelet, because network setup is slow. */
  constructor(service: CriService, sandboxes: SandboxCache, requestTimeoutMs: number) {
    this.#service = service;
    this.#sandboxes = sandboxes;
    this.#runTimeoutMs = 2 * requestTimeoutMs;
  }

  run(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    return this.#pending.once(`${config.podUid}/${config.attempt}`, () =>
      this.#run(config, signal),
    );
  }

  async stop(id: string): Promise<void> {
    await this.#unlessGone(RUNTIME_CALLS.stopPodSandbox, id);
  }

  async remove(id: string): Promise<void> {
    await this.stop(id);
    await this.#unlessGone(RUNTIME_CALLS.removePodSandbox, id);
    this.#sandboxes.forget(id);
  }

  async #run(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    const sandbox = sandboxMessage(config);
    const { runtimeHandler } = config;
    const { runPodSandbox } = RUNTIME_CALLS;
    try {
      const request = { config: sandbox, runtimeHandler };
      const options = { signal, timeoutMs: this.#runTimeoutMs };
      const { podSandboxId } = await this.#service.ask(runPodSandbox, request, options);
      this.#sandboxes.remember(podSandboxId, sandbox);
      return podSandboxId;
    } catch (error) {
      if (signal.aborted) throw error;
      const there = await this.#find(config).catch(() => undefined);
      if (there === undefined) throw error;
      this.#sandboxes.remember(there, sandbox);
      return there;
    }
  }

  /**
   * Finds a sandbox whose creation succeeded although its answer was lost: the runtime refuses to create it
   * again.
   */
  async #find({ podUid, attempt }: SandboxConfig): Promise<string | undefined> {
    const filter = {
      labelSelector: { [POD_UID]: podUid },
      state: { state: 'SANDBOX_READY' },
    } as const;
    const { items } = await this.#service.ask(RUNTIME_CALLS.listPodSandbox, { filter });
    return items.find(({ metadata }) => metadata?.attempt === attempt)?.id;
  }

  async #unlessGone(
    call: typeof RUNTIME_CALLS.stopPodSandbox,
    podSandboxId: string,
  ): Promise<void> {
    try {
      await this.#service.ask(call, { podSandboxId });
    } catch (error) {
      if (!hasCode(error, 'RUNTIME_NOT_FOUND')) throw error;
    }
  }
}
