/**
 * Starts one container: image, inputs, creation, start, postStart hook. Each failing step has its own
 * reason in the status (KL-44) and its own Event.
 */
import type { Pod } from '../../../api/pod.ts';
import type { RuntimePod } from '../../../api/runtime-pod.ts';
import { defineError } from '../../../lib/errors.ts';
import { findNewest } from '../../../core/pod/runtime-facts.ts';
import type { ContainerInputsSource } from '../../../ports/pod/container-inputs.ts';
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import type { FoundPullSecrets } from '../../../ports/api/pull-secrets.ts';
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import type { StateStore } from '../../../ports/pod/state-store.ts';
import { containerConfig, TERMINATION_MESSAGE_PATH } from '../config/container-config.ts';
import { containerHash } from '../../../core/pod/container-labels.ts';
import { checkNonRoot } from '../config/container-security.ts';
import type { ContainerStopper } from '../stop/container-stopper.ts';
import type { ImageManager, ImageVolumeRequest } from './image-manager.ts';
import type { KernelDeps } from '../config/kernel-resources.ts';
import { volumeSpecOf } from '../../volumes/volume-spec.ts';
import type { LogLinks } from '../../logs/log-links.ts';
import { runHook, type HookDeps } from '../hooks/lifecycle-hooks.ts';
import {
  containerReferenceOf,
  podReferenceOf,
  runSpecOf,
  type RunContainer,
} from '../../../api/run-spec.ts';
import { ContainerNotStarted, failureMessageOf, type StartFailureReason } from './start-failure.ts';

export interface StarterDeps extends HookDeps, KernelDeps {
  readonly runtime: PodRuntime;
  readonly events: EventRecorder;
  readonly images: ImageManager;
  readonly inputs: ContainerInputsSource;
  readonly files: PodFiles;
  readonly stopper: ContainerStopper;
  readonly logLinks?: Pick<LogLinks, 'link'> | undefined;
  /** The applied resources (E-4). */
  readonly actuated?: StateStore | undefined;
}

export interface StartRequest {
  readonly pod: Pod;
  readonly container: RunContainer;
  readonly sandboxId: string;
  /** The runtime's state when the plan was made. */
  readonly runtimePod: RuntimePod;
  readonly podIPs: readonly string[];
  readonly secrets: FoundPullSecrets;
}

interface PulledImages {
  readonly imageRef: string;
  /** By the names of their volumes. */
  readonly imageVolumes: ReadonlyMap<string, string>;
}

export const targetNotFound = defineError<{ name: string }>({
  code: 'TARGET_CONTAINER_NOT_FOUND',
  retry: 'backoff',
  message: ({ name }) => `unable to find target container ${name}`,
  hint: () => 'An ephemeral container can target a container of its pod only while that one runs.',
});

export class ContainerStarter {
  readonly #deps: StarterDeps;
  readonly #hashes = new Map<string, string>();

  constructor(deps: StarterDeps) {
    this.#deps = deps;
  }

  /** The spec hashes of the containers that this podkeep created, by container ID. */
  get hashes(): ReadonlyMap<string, string> {
    return this.#hashes;
  }

  /** The container is gone: its hash is not needed any more. */
  forget(containerId: string): void {
    this.#hashes.delete(containerId);
  }

  /** Throws ContainerNotStarted, or the signal's reason. */
  async start(request: StartRequest, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#deps;
    const { container, sandboxId } = request;
    const imageRef = await this.#image(request, signal);
    const imageVolumes = await this.#imageVolumes(request, signal);
    const config = await this.#step(request, 'CreateContainerConfigError', signal, () =>
      this.#configure(request, { imageRef, imageVolumes }, signal),
    );
    const id = await this.#step(request, 'CreateContainerError', signal, () =>
      runtime.createContainer(sandboxId, config, signal),
    );
    this.#hashes.set(id, containerHash(container));
    this.#record(request, 'Normal', 'Created', 'Container created');
    await this.#step(request, 'RunContainerError', signal, () => runtime.startContainer(id));
    this.#record(request, 'Normal', 'Started', 'Container started');
    const { attempt } = config;
    const run = { pod: podReferenceOf(request.pod), container: container.name, attempt };
    await this.#deps.logLinks?.link(run, id);
    await this.#postStart(request, id, signal);
  }

  async #image(request: StartRequest, signal: AbortSignal): Promise<string> {
    const { pod, container, secrets } = request;
    return this.#pull(request, () => this.#deps.images.ensure(pod, container, secrets, signal));
  }

  /** Pulls the images that the container mounts, and returns their references by volume. */
  async #imageVolumes(
    request: StartRequest,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const { pod, container, secrets } = request;
    const refs = new Map<string, string>();
    for (const [name, image] of imageVolumesOf(pod, container)) {
      const pull = (): Promise<string> =>
        this.#deps.images.ensureVolume(pod, container, image, secrets, signal);
      refs.set(name, await this.#pull(request, pull));
    }
    return refs;
  }

  async #pull(request: StartRequest, work: () => Promise<string>): Promise<string> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ContainerNotStarted) {
        this.#record(request, 'Warning', 'Failed', `Error: ${error.reason}`);
      }
      throw error;
    }
  }

  async #step<Answer>(
    request: StartRequest,
    reason: StartFailureReason,
    signal: AbortSignal,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const message = failureMessageOf(error);
      this.#record(request, 'Warning', 'Failed', `Error: ${message}`);
      throw new ContainerNotStarted(request.container.name, { reason, message }, error);
    }
  }

  async #configure(
    request: StartRequest,
    { imageRef, imageVolumes }: PulledImages,
    signal: AbortSignal,
  ): Promise<ContainerConfig> {
    const { files, inputs, runtime, actuated } = this.#deps;
    const { memoryCapacityBytes, containers } = this.#deps;
    const { pod, container, podIPs } = request;
    const reference = podReferenceOf(pod);
    const attempt = await this.#nextAttempt(request);
    const targetContainerId = targetOf(request);
    const { resources = {} } = container;
    // Stored before the container exists, so that even after a crash every container has a record.
    const [resolved] = await Promise.all([
      inputs.resolve({ pod, container, podIPs, imageVolumes }, signal),
      actuated?.setContainerResources(reference.uid, container.name, resources),
    ]);
    if (mustNotBeRoot(pod, container)) {
      const use = { hasCommand: (container.command?.length ?? 0) > 0 };
      checkNonRoot(pod, container, await runtime.images.find(container.image ?? '', use));
    }
    await files.makeLogFolder(reference, container.name);
    const run = { pod: reference, container: container.name, attempt };
    return containerConfig(pod, container, {
      attempt,
      imageRef,
      inputs: resolved,
      logPath: files.logPath(run),
      ...(hasTerminationMessage(container) && {
        terminationFile: await files.makeTerminationFile(run),
      }),
      targetContainerId,
      memoryCapacityBytes,
      containers,
    });
  }

  /** One more than the last attempt in the runtime, or else in the logs (KL-40). */
  async #nextAttempt({ pod, container, runtimePod }: StartRequest): Promise<number> {
    const newest = findNewest(runtimePod, container.name);
    if (newest) return newest.restartCount + 1;
    const last = await this.#deps.files.lastRunLogged(podReferenceOf(pod), container.name);
    return last === null ? 0 : last + 1;
  }

  async #postStart(request: StartRequest, containerId: string, signal: AbortSignal): Promise<void> {
    const { pod, container } = request;
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    try {
      await runHook(this.#deps, { pod, container, containerId }, handler, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The output may contain secrets of the container, and many users can read Events.
      this.#record(request, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      await this.#stopAfterHook(request, containerId, signal);
      const failure = { reason: 'PostStartHookError', message: failureMessageOf(error) } as const;
      throw new ContainerNotStarted(container.name, failure, error);
    }
  }

  /**
   * A container whose hook failed must not keep running. If it cannot be stopped now, the next sync stops
   * it.
   */
  async #stopAfterHook({ pod, container }: StartRequest, id: string, signal: AbortSignal) {
    const stop = { id, name: container.name, message: 'FailedPostStartHook', graceSeconds: null };
    try {
      await this.#deps.stopper.stopContainer(pod, stop, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = `Container ${container.name} could not be stopped: ${failureMessageOf(error)}`;
      this.#deps.events.record(
        containerReferenceOf(pod, container.name),
        'Warning',
        'Failed',
        message,
      );
    }
  }

  #record(
    { pod, container }: StartRequest,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const about = containerReferenceOf(pod, container.name);
    this.#deps.events.record(about, type, reason, message);
  }
}

/** With a shared process namespace there is no target: the containers see each other anyway. */
function targetOf({ pod, container, runtimePod }: StartRequest): string | undefined {
  const { targetContainerName: name } = container;
  if (!name) return undefined;
  const newest = findNewest(runtimePod, name);
  if (newest?.state !== 'running') throw targetNotFound({ name });
  const { hostPID = false, shareProcessNamespace = false } = runSpecOf(pod);
  return hostPID || shareProcessNamespace ? undefined : newest.id;
}

function imageVolumesOf(
  pod: Pod,
  { volumeMounts = [] }: RunContainer,
): ReadonlyMap<string, ImageVolumeRequest> {
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  const found = new Map<string, ImageVolumeRequest>();
  for (const { name, image } of volumeSpecOf(pod).volumes ?? []) {
    if (!image || !mounted.has(name)) continue;
    found.set(name, { image: image.reference ?? '', pullPolicy: image.pullPolicy });
  }
  return found;
}

function hasTerminationMessage({
  terminationMessagePath = TERMINATION_MESSAGE_PATH,
}: RunContainer): boolean {
  return terminationMessagePath !== '';
}

function mustNotBeRoot(pod: Pod, container: RunContainer): boolean {
  const { securityContext } = runSpecOf(pod);
  return container.securityContext?.runAsNonRoot ?? securityContext?.runAsNonRoot ?? false;
}
