/**
 * Runs pods through a container runtime that speaks CRI v1, such as containerd or CRI-O.
 *
 *     podkeep ──gRPC over a unix socket──> containerd ──> sandboxes, containers, images
 *        └── exec, attach and port-forward stream from a URL that containerd returns
 *
 * The runtime holds all state; this adapter caches only data that it can read again. If the answer to a
 * creation was lost, the next attempt finds the object by its name and attempt number.
 */
import { existsSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { checkTrustedSocket } from '../../lib/trusted-file.ts';
import type { ContainerConfig, ContainerResources } from '../../ports/runtime/container-config.ts';
import type { ImageStore } from '../../ports/runtime/image-store.ts';
import type {
  PodRuntime,
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
import { ContainerOperations } from './container-operations.ts';
import { bareId } from './container-id.ts';
import { socketPathOf } from './endpoint.ts';
import { hasCode } from './errors.ts';
import { CriEvents, hasEvents } from './events.ts';
import { CriImages } from './images.ts';
import { RUNTIME_CALLS } from './messages/calls.ts';
import type { CriRuntimeOptions } from './options.ts';
import { viewStatus } from './runtime-status.ts';
import { SandboxCache } from './sandbox-cache.ts';
import { SandboxOperations } from './sandbox-operations.ts';
import { CriStats } from './stats.ts';
import { CriStreaming } from './streaming/cri-streaming.ts';
import { PodReader } from './views/pod-reader.ts';
import { CriService } from './wire/cri-service.ts';

/** The kubelet's default timeout for runtime requests. */
const REQUEST_TIMEOUT_MS = 120_000;
/** The timeout of the first call. */
const GREETING_MS = 10_000;
const API_VERSION = 'v1';

/** Throws RUNTIME_ENDPOINT_INVALID, RUNTIME_UNAVAILABLE, UNTRUSTED_FILE, or the error of the first call. */
export async function openCriRuntime(options: CriRuntimeOptions): Promise<PodRuntime> {
  const { clock, endpoint, imageEndpoint = endpoint, log } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  for (const each of [endpoint, imageEndpoint]) checkSocket(socketPathOf(each));
  const connect = (socketPath: string): CriService =>
    new CriService({ socketPath, clock, requestTimeoutMs });
  const service = connect(socketPathOf(endpoint));
  const isSame = socketPathOf(imageEndpoint) === socketPathOf(endpoint);
  const imageService = isSame ? service : connect(socketPathOf(imageEndpoint));
  try {
    const greeting = { version: API_VERSION };
    const { runtimeName, runtimeVersion } = await service.ask(RUNTIME_CALLS.version, greeting, {
      timeoutMs: GREETING_MS,
    });
    const canFollow = await hasEvents(service, clock);
    log.info('Connected to the container runtime', {
      endpoint,
      runtime: runtimeName,
      version: runtimeVersion,
      events: canFollow,
    });
    const parts = { service, imageService, runtimeName, canFollow, requestTimeoutMs };
    return new CriRuntime(options, parts);
  } catch (error) {
    service.close();
    imageService.close();
    throw error;
  }
}

/** Passes a missing socket: the first call reports it. */
function checkSocket(file: string): void {
  if (existsSync(file)) checkTrustedSocket(file);
}

interface RuntimeParts {
  readonly service: CriService;
  readonly imageService: CriService;
  readonly runtimeName: string;
  readonly canFollow: boolean;
  readonly requestTimeoutMs: number;
}

class CriRuntime implements PodRuntime {
  readonly name: string;
  readonly images: ImageStore;
  readonly usesPodCgroups = true;
  /** Absent: the runtime has no events. */
  readonly follow?: NonNullable<PodRuntime['follow']>;
  readonly #service: CriService;
  readonly #imageService: CriService;
  readonly #reader: PodReader;
  readonly #events: CriEvents;
  readonly #stats: CriStats;
  readonly #streaming: CriStreaming;
  readonly #sandboxes: SandboxOperations;
  readonly #containers: ContainerOperations;

  constructor({ clock, log }: CriRuntimeOptions, parts: RuntimeParts) {
    const { service, imageService, runtimeName, canFollow, requestTimeoutMs } = parts;
    this.name = runtimeName;
    this.images = new CriImages(imageService);
    this.#service = service;
    this.#imageService = imageService;
    this.#reader = new PodReader(service, runtimeName);
    this.#stats = new CriStats(service, runtimeName);
    this.#streaming = new CriStreaming(service, clock);
    const sandboxes = new SandboxCache(service);
    this.#sandboxes = new SandboxOperations(service, sandboxes, requestTimeoutMs);
    this.#containers = new ContainerOperations({
      service,
      sandboxes,
      runtimeName,
      requestTimeoutMs,
    });
    const listPods = async (): Promise<readonly string[]> =>
      (await this.#reader.list()).map(({ uid }) => uid);
    const events = new CriEvents({ service, runtimeName, clock, log, listPods });
    this.#events = events;
    if (canFollow) this.follow = (listener) => events.follow(listener);
  }

  async version(): Promise<RuntimeVersion> {
    const { version: call } = RUNTIME_CALLS;
    const answer = await this.#service.ask(call, { version: API_VERSION });
    return { name: answer.runtimeName, version: answer.runtimeVersion };
  }

  /** Null: the runtime does not report it (containerd before 2.0), so the kubelet's configuration decides. */
  async cgroupDriver(): Promise<'cgroupfs' | 'systemd' | null> {
    try {
      const { linux } = await this.#service.ask(RUNTIME_CALLS.runtimeConfig, {});
      if (!linux) return null;
      return linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
    } catch (error) {
      if (hasCode(error, 'RUNTIME_CALL_UNSUPPORTED')) return null;
      throw error;
    }
  }

  async status(): Promise<RuntimeStatus> {
    const [answer, { name, version }] = await Promise.all([
      this.#service.ask(RUNTIME_CALLS.status, {}),
      this.version(),
    ]);
    return viewStatus(answer, name, version);
  }

  list(): Promise<readonly RuntimePodEntry[]> {
    return this.#reader.list();
  }

  inspect(podUid: string): Promise<RuntimePod> {
    return this.#reader.inspect(podUid);
  }

  runSandbox(config: SandboxConfig, signal: AbortSignal): Promise<string> {
    return this.#sandboxes.run(config, signal);
  }

  stopSandbox(id: string): Promise<void> {
    return this.#sandboxes.stop(id);
  }

  removeSandbox(id: string): Promise<void> {
    return this.#sandboxes.remove(id);
  }

  createContainer(
    sandboxId: string,
    config: ContainerConfig,
    signal: AbortSignal,
  ): Promise<string> {
    return this.#containers.create(sandboxId, config, signal);
  }

  startContainer(id: string): Promise<void> {
    return this.#containers.start(bareId(id));
  }

  stopContainer(id: string, graceSeconds: number, signal: AbortSignal): Promise<void> {
    return this.#containers.stop(bareId(id), graceSeconds, signal);
  }

  removeContainer(id: string): Promise<void> {
    return this.#containers.remove(bareId(id));
  }

  async updateResources(id: string, resources: ContainerResources): Promise<void> {
    await this.#containers.update(bareId(id), resources);
    this.#reader.forget(bareId(id));
  }

  reopenLog(id: string): Promise<void> {
    return this.#containers.reopenLog(bareId(id));
  }

  execSync(id: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    return this.#containers.execSync(bareId(id), request, signal);
  }

  exec(id: string, command: readonly string[], request: StreamRequest): Promise<Streams> {
    return this.#streaming.exec(bareId(id), command, request);
  }

  attach(id: string, request: StreamRequest): Promise<Streams> {
    return this.#streaming.attach(bareId(id), request);
  }

  connectPort(sandboxId: string, port: number): Promise<Duplex> {
    return this.#streaming.connectPort(sandboxId, port);
  }

  containerStats(): Promise<readonly ContainerStats[]> {
    return this.#stats.containers();
  }

  sandboxStats(): Promise<readonly SandboxStats[]> {
    return this.#stats.sandboxes();
  }

  close(): Promise<void> {
    this.#events.close();
    this.#service.close();
    this.#imageService.close();
    return Promise.resolve();
  }
}
