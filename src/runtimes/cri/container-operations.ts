/** Creates, starts, stops and removes containers, and runs commands in them, with CRI calls. */
import { offAbort, onAbort } from '../../lib/abort-listeners.ts';
import type { ContainerConfig, ContainerResources } from '../../ports/runtime/container-config.ts';
import type { ExecRequest, ExecResult } from '../../ports/runtime/streams.ts';
import { fullId } from './container-id.ts';
import { criExecTimedOut, hasCode } from './errors.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import { Pending } from './pending.ts';
import { containerMessage } from './requests/container-request.ts';
import { resourcesMessage } from './requests/resources.ts';
import type { SandboxCache } from './sandbox-cache.ts';
import type { CriService } from './wire/cri-service.ts';

export interface ContainerOperationsOptions {
  readonly service: CriService;
  readonly sandboxes: SandboxCache;
  readonly runtimeName: string;
  readonly requestTimeoutMs: number;
}

/** Methods take IDs without the scheme (`abc`); `create` returns one with it (`containerd://abc`). */
export class ContainerOperations {
  readonly #options: ContainerOperationsOptions;
  readonly #service: CriService;
  readonly #creating = new Pending<string>();
  readonly #starting = new Pending<void>();

  constructor(options: ContainerOperationsOptions) {
    this.#options = options;
    this.#service = options.service;
  }

  create(sandboxId: string, config: ContainerConfig, signal: AbortSignal): Promise<string> {
    const key = `${sandboxId}/${config.name}/${config.attempt}`;
    return this.#creating.once(key, async () => {
      const id = await this.#create(sandboxId, config, signal);
      return fullId(this.#options.runtimeName, id);
    });
  }

  start(id: string): Promise<void> {
    return this.#starting.once(id, () => this.#start(id));
  }

  /**
   * An aborted `signal` ends only the caller's wait. The StopContainer call goes on: a runtime whose client
   * cancels it would not kill the container after the grace period.
   */
  async stop(containerId: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const timeout = Math.ceil(graceSeconds);
    const timeoutMs = this.#options.requestTimeoutMs + timeout * 1000;
    const { stopContainer } = RUNTIME_CALLS;
    const stopping = this.#service
      .ask(stopContainer, { containerId, timeout }, { timeoutMs })
      .catch(passIfGone);
    await untilAborted(stopping, signal);
  }

  async remove(containerId: string): Promise<void> {
    await this.#service.ask(RUNTIME_CALLS.removeContainer, { containerId }).catch(passIfGone);
  }

  async update(containerId: string, resources: ContainerResources): Promise<void> {
    const linux = resourcesMessage(resources);
    await this.#service.ask(RUNTIME_CALLS.updateContainerResources, { containerId, linux });
  }

  async reopenLog(containerId: string): Promise<void> {
    await this.#service.ask(RUNTIME_CALLS.reopenContainerLog, { containerId });
  }

  /**
   * The runtime enforces the timeout, in whole seconds, from the moment the command runs: on a busy machine
   * the start takes a while, and that must not fail a probe. podkeep's own timeout is longer by
   * `requestTimeoutMs`, for a runtime that does not answer.
   */
  async execSync(
    containerId: string,
    { command, timeoutSeconds }: ExecRequest,
    signal: AbortSignal,
  ): Promise<ExecResult> {
    const request = { containerId, cmd: command, timeout: Math.ceil(timeoutSeconds) };
    const patienceMs = this.#options.requestTimeoutMs + timeoutSeconds * 1000;
    const options = { timeoutMs: timeoutSeconds > 0 ? patienceMs : 0, signal };
    try {
      return await this.#service.ask(RUNTIME_CALLS.execSync, request, options);
    } catch (error) {
      if (!hasCode(error, 'RUNTIME_TIMED_OUT')) throw error;
      throw criExecTimedOut({ command: JSON.stringify(command), seconds: timeoutSeconds }, error);
    }
  }

  async #create(
    podSandboxId: string,
    config: ContainerConfig,
    signal: AbortSignal,
  ): Promise<string> {
    const sandboxConfig = await this.#options.sandboxes.find(podSandboxId);
    const request = {
      podSandboxId,
      sandboxConfig,
      config: containerMessage(config, sandboxConfig),
    };
    const { createContainer } = RUNTIME_CALLS;
    try {
      const { containerId } = await this.#service.ask(createContainer, request, { signal });
      return containerId;
    } catch (error) {
      if (signal.aborted) throw error;
      const there = await this.#find(podSandboxId, config).catch(() => undefined);
      if (there === undefined) throw error;
      return there;
    }
  }

  /**
   * Finds a container whose creation succeeded although its answer was lost: the runtime refuses to create it
   * again.
   */
  async #find(
    podSandboxId: string,
    { name, attempt }: ContainerConfig,
  ): Promise<string | undefined> {
    const filter = { podSandboxId };
    const { containers } = await this.#service.ask(RUNTIME_CALLS.listContainers, { filter });
    const isIt = ({ metadata }: (typeof containers)[number]): boolean =>
      metadata?.name === name && metadata.attempt === attempt;
    return containers.find(isIt)?.id;
  }

  async #start(containerId: string): Promise<void> {
    try {
      await this.#service.ask(RUNTIME_CALLS.startContainer, { containerId });
    } catch (error) {
      if (!(await this.#hasStarted(containerId))) throw error;
    }
  }

  /**
   * Runtimes refuse to start a container that runs or has run; both count as started. One whose start failed
   * does not.
   */
  async #hasStarted(containerId: string): Promise<boolean> {
    try {
      const { status } = await this.#service.ask(RUNTIME_CALLS.containerStatus, { containerId });
      const hasRun = status?.state === 'CONTAINER_RUNNING' || status?.state === 'CONTAINER_EXITED';
      return hasRun && status.startedAt > 0n;
    } catch {
      return false;
    }
  }
}

function passIfGone(error: unknown): undefined {
  if (!hasCode(error, 'RUNTIME_NOT_FOUND')) throw error;
}

function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    onAbort(signal, abort);
    void work.then(() => resolve(), reject).finally(() => offAbort(signal, abort));
  });
}
