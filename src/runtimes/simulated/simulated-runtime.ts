/**
 * A PodRuntime for tests and simulations: its containers follow scripts (script.ts) on the injected clock, so
 * that hours of thousands of pods pass in an instant. faults.ts injects failures of the runtime itself.
 */
import { PassThrough } from 'node:stream';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainerConfig, ContainerResources } from '../../ports/runtime/container-config.ts';
import type {
  PodRuntime,
  RuntimeEvent,
  RuntimePodEntry,
  RuntimeStatus,
  RuntimeVersion,
} from '../../ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../ports/runtime/sandbox-config.ts';
import type {
  ExecRequest,
  ExecResult,
  StreamRequest,
  Streams,
} from '../../ports/runtime/streams.ts';
import type { ContainerStats } from '../../ports/runtime/stats.ts';
import type { SimulatedContainer } from './container.ts';
import { asScripted, simulatedExecTimedOut, notRunning } from './errors.ts';
import { withFault, type RuntimeFaults, type RuntimeOperation } from './faults.ts';
import type { SimulatedMachine } from './machine.ts';
import { SimulatedImages } from './simulated-images.ts';
import { wait } from './wait.ts';

export interface SimulatedRuntimeOptions {
  readonly machine: SimulatedMachine;
  readonly faults?: RuntimeFaults;
  /** False: the runtime has no events, and the kubelet has to poll it. */
  readonly hasEvents?: boolean;
  readonly isNetworkReady?: () => boolean;
}

const READY: RuntimeStatus = {
  isReady: true,
  isNetworkReady: true,
  features: { enforcesCpu: false, enforcesMemory: false, hasMounts: true, hasPodAddresses: true },
};

export class SimulatedRuntime implements PodRuntime {
  readonly name = 'simulated';
  readonly images: SimulatedImages;
  readonly follow?: (listener: (event: RuntimeEvent) => void) => () => void;
  readonly #machine: SimulatedMachine;
  readonly #clock: Clock;
  readonly #faults: RuntimeFaults;
  readonly #isNetworkReady: () => boolean;
  readonly #followers = new Set<() => void>();

  constructor(options: SimulatedRuntimeOptions) {
    const { machine, faults = () => undefined, hasEvents = true } = options;
    this.#machine = machine;
    this.#clock = machine.options.clock;
    this.#faults = faults;
    this.#isNetworkReady = options.isNetworkReady ?? (() => true);
    this.images = new SimulatedImages(machine, faults);
    if (hasEvents) this.follow = (listener) => this.#follow(listener);
  }

  version(): Promise<RuntimeVersion> {
    return Promise.resolve({ name: this.name, version: '1' });
  }

  status(): Promise<RuntimeStatus> {
    return this.#perform('status', '', undefined, () => {
      if (this.#isNetworkReady()) return READY;
      return { ...READY, isNetworkReady: false, reason: 'NoNetwork', message: 'no network yet' };
    });
  }

  list(): Promise<readonly RuntimePodEntry[]> {
    return this.#perform('list', '', undefined, () => this.#machine.list());
  }

  inspect(podUid: string): Promise<RuntimePod> {
    return this.#perform('inspect', podUid, undefined, () => this.#machine.inspect(podUid));
  }

  runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    return this.#perform('runSandbox', config.podUid, signal, () =>
      this.#machine.runSandbox(config),
    );
  }

  stopSandbox(id: string): Promise<void> {
    return this.#perform('stopSandbox', id, undefined, () => this.#machine.stopSandbox(id));
  }

  removeSandbox(id: string): Promise<void> {
    return this.#perform('removeSandbox', id, undefined, () => this.#machine.removeSandbox(id));
  }

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    signal: AbortSignal,
  ): Promise<string> {
    return this.#perform('createContainer', sandboxId, signal, async () => {
      const container = this.#machine.createContainer(sandboxId, config);
      const { id, script } = container.options;
      if (script.createError !== undefined) {
        this.#machine.removeContainer(id);
        throw asScripted({ what: script.createError });
      }
      if (script.createMs) await wait(this.#clock, script.createMs, signal);
      return id;
    });
  }

  startContainer(id: string): Promise<void> {
    return this.#perform('startContainer', id, undefined, async () => {
      const container = this.#machine.require(id);
      if (container.state !== 'created') return this.#refuseStart(container);
      const { startMs, startError } = container.options.script;
      if (startMs) await wait(this.#clock, startMs);
      if (startError === undefined) return container.start();
      container.failToStart(startError);
      throw asScripted({ what: startError });
    });
  }

  async stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    await this.#perform('stopContainer', id, signal, async () => {
      const container = this.#machine.find(id);
      container?.stop(graceSeconds * 1000);
      await container?.ended(signal);
    });
  }

  removeContainer(id: string): Promise<void> {
    return this.#perform('removeContainer', id, undefined, () => this.#machine.removeContainer(id));
  }

  updateResources(id: string, resources: ContainerResources): Promise<void> {
    return this.#perform('updateResources', id, undefined, () =>
      this.#machine.require(id).resize(resources),
    );
  }

  /** Does nothing: lines are in memory, and there is no file to reopen. */
  async reopenLog(id: string): Promise<void> {
    this.#machine.require(id);
  }

  execSync(id: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const { command, timeoutSeconds } = request;
    return this.#perform('execSync', id, signal, async () => {
      const answer = this.#answer(id, command);
      const { afterMs = 0, exitCode = 0, stdout = '', stderr = '' } = answer;
      const limitMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : Number.POSITIVE_INFINITY;
      await wait(this.#clock, Math.min(afterMs, limitMs), signal);
      if (afterMs > limitMs) {
        throw simulatedExecTimedOut({ command: command.join(' '), seconds: timeoutSeconds });
      }
      const encoder = new TextEncoder();
      return { exitCode, stdout: encoder.encode(stdout), stderr: encoder.encode(stderr) };
    });
  }

  async exec(id: string, command: readonly string[], request: StreamRequest): Promise<Streams> {
    const { afterMs = 0, exitCode = 0, stdout = '', stderr = '' } = this.#answer(id, command);
    const streams = streamsFor(request);
    const ended = wait(this.#clock, afterMs, request.signal).then(() => {
      streams.stdout?.end(stdout);
      streams.stderr?.end(stderr);
      return exitCode;
    });
    return { ...streams, ended, resize: () => {} };
  }

  async attach(id: string, request: StreamRequest): Promise<Streams> {
    const container = this.#running(id);
    const streams = streamsFor(request);
    const stopListening = container.listen(({ stream, text }) => {
      (stream === 'stderr' && !request.tty ? streams.stderr : streams.stdout)?.write(`${text}\n`);
    });
    const ended = container.ended(request.signal).then(() => {
      streams.stdout?.end();
      streams.stderr?.end();
      return 0;
    });
    return { ...streams, ended: ended.finally(stopListening), resize: () => {} };
  }

  /** Stats of containers whose scripts use memory or write files; the others have none. */
  containerStats(): Promise<readonly ContainerStats[]> {
    return this.#perform('containerStats', '', undefined, () =>
      this.#machine.running().flatMap(({ options, writableBytes }) => {
        const { id, podUid, config, script, clock } = options;
        const { memoryBytes: workingSetBytes } = script;
        const memory = workingSetBytes !== undefined && { timeMs: clock.now(), workingSetBytes };
        if (writableBytes === undefined && !memory) return [];
        const written = writableBytes !== undefined && { writableBytes };
        return [{ id, podUid, name: config.name, ...written, ...(memory && { memory }) }];
      }),
    );
  }

  close(): Promise<void> {
    for (const stop of this.#followers) stop();
    this.#followers.clear();
    return Promise.resolve();
  }

  #follow(listener: (event: RuntimeEvent) => void): () => void {
    const stop = this.#machine.follow(listener);
    this.#followers.add(stop);
    return () => {
      stop();
      this.#followers.delete(stop);
    };
  }

  /** A repeated start of a container that has run succeeds, even if it has ended; otherwise throws. */
  #refuseStart({ state, hasRun, options }: SimulatedContainer): void {
    if (!hasRun) throw notRunning({ id: options.id, state });
  }

  #running(id: string): SimulatedContainer {
    const container = this.#machine.require(id);
    const { state } = container;
    if (state !== 'running') throw notRunning({ id, state });
    return container;
  }

  #answer(id: string, command: readonly string[]) {
    const { options, runningMs } = this.#running(id);
    return options.script.exec?.({ command, runningMs }) ?? {};
  }

  #perform<Answer>(
    operation: RuntimeOperation,
    subject: string,
    signal: AbortSignal | undefined,
    effect: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const world = { faults: this.#faults, clock: this.#clock };
    return withFault(world, operation, subject, signal, effect);
  }
}

function streamsFor({ stdin, stdout, stderr, tty }: StreamRequest) {
  return {
    stdin: stdin ? new PassThrough() : null,
    stdout: stdout ? new PassThrough() : null,
    stderr: stderr && !tty ? new PassThrough() : null,
  };
}
