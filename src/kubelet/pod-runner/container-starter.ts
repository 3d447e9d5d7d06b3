/**
 * Starts one container: image, inputs, creation, start, postStart hook. Each step that fails has
 * its own reason in the status (KL-44) and its own event.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';
import { defineError } from '../../lib/errors.ts';
import { findNewest } from '../../core/runtime-facts.ts';
import type { ContainerInputsSource } from '../../ports/container-inputs.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import type { FoundPullSecrets } from '../../ports/pull-secrets.ts';
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { StateStore } from '../../ports/state-store.ts';
import { containerConfig, TERMINATION_MESSAGE_PATH } from './container-config.ts';
import { containerHash } from './container-labels.ts';
import { checkNonRoot } from './container-security.ts';
import type { ContainerStopper } from './container-stopper.ts';
import type { ImageManager } from './image-manager.ts';
import type { KernelRoom } from './kernel-resources.ts';
import type { LogLinks } from './log-links.ts';
import { runHook, type HookRoom } from './lifecycle-hooks.ts';
import { containerReferenceOf, podReferenceOf, runSpecOf, type RunContainer } from './run-spec.ts';
import { ContainerNotStarted, messageOf, type StartFailureReason } from './start-failure.ts';

export interface StarterRoom extends HookRoom, KernelRoom {
  readonly runtime: PodRuntime;
  readonly events: EventRecorder;
  readonly images: ImageManager;
  readonly inputs: ContainerInputsSource;
  readonly files: PodFiles;
  readonly stopper: ContainerStopper;
  readonly logLinks?: Pick<LogLinks, 'link'> | undefined;
  /** What was really applied (E-4). */
  readonly actuated?: StateStore | undefined;
}

export interface StartRequest {
  readonly pod: Pod;
  readonly container: RunContainer;
  readonly sandboxId: string;
  /** As it was when the plan was made. */
  readonly runtimePod: RuntimePod;
  readonly podIPs: readonly string[];
  readonly secrets: FoundPullSecrets;
}

export const targetNotFound = defineError<{ name: string }>({
  code: 'TARGET_CONTAINER_NOT_FOUND',
  retry: 'backoff',
  message: ({ name }) => `unable to find target container ${name}`,
  hint: () => 'A debugging container can look into a container of its pod only while that runs.',
});

export class ContainerStarter {
  readonly #room: StarterRoom;
  readonly #hashes = new Map<string, string>();

  constructor(room: StarterRoom) {
    this.#room = room;
  }

  /** What the containers that this podkeep made were made from, by their IDs. */
  get hashes(): ReadonlyMap<string, string> {
    return this.#hashes;
  }

  /** The container is gone: nothing of it needs to be remembered. */
  forget(containerId: string): void {
    this.#hashes.delete(containerId);
  }

  /** Throws ContainerNotStarted, or the signal's reason. */
  async start(request: StartRequest, signal: AbortSignal): Promise<void> {
    const { runtime } = this.#room;
    const { container, sandboxId } = request;
    const imageRef = await this.#image(request, signal);
    const config = await this.#step(request, 'CreateContainerConfigError', signal, () =>
      this.#configure(request, imageRef, signal),
    );
    const id = await this.#step(request, 'CreateContainerError', signal, () =>
      runtime.createContainer(sandboxId, config, signal),
    );
    this.#hashes.set(id, containerHash(container));
    this.#tell(request, 'Normal', 'Created', 'Container created');
    await this.#step(request, 'RunContainerError', signal, () => runtime.startContainer(id));
    this.#tell(request, 'Normal', 'Started', 'Container started');
    const { attempt } = config;
    const run = { pod: podReferenceOf(request.pod), container: container.name, attempt };
    await this.#room.logLinks?.link(run, id);
    await this.#postStart(request, id, signal);
  }

  async #image(request: StartRequest, signal: AbortSignal): Promise<string> {
    const { pod, container, secrets } = request;
    try {
      return await this.#room.images.ensure(pod, container, secrets, signal);
    } catch (error) {
      if (error instanceof ContainerNotStarted) {
        this.#tell(request, 'Warning', 'Failed', `Error: ${error.reason}`);
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
      const message = messageOf(error);
      this.#tell(request, 'Warning', 'Failed', `Error: ${message}`);
      throw new ContainerNotStarted(request.container.name, { reason, message }, error);
    }
  }

  async #configure(
    request: StartRequest,
    imageRef: string,
    signal: AbortSignal,
  ): Promise<ContainerConfig> {
    const { files, inputs, runtime, actuated } = this.#room;
    const { memoryCapacityBytes, containers } = this.#room;
    const { pod, container, podIPs } = request;
    const reference = podReferenceOf(pod);
    const attempt = await this.#nextAttempt(request);
    const targetContainerId = targetOf(request);
    const { resources = {} } = container;
    // Noted before it exists: a podkeep that ends in between finds no container it knows nothing of.
    const [resolved] = await Promise.all([
      inputs.resolve({ pod, container, podIPs }, signal),
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
      ...(hasLastWords(container) && { terminationFile: await files.makeTerminationFile(run) }),
      targetContainerId,
      memoryCapacityBytes,
      containers,
    });
  }

  /** One more than the last run, as the runtime or else the logs remember it (KL-40). */
  async #nextAttempt({ pod, container, runtimePod }: StartRequest): Promise<number> {
    const newest = findNewest(runtimePod, container.name);
    if (newest) return newest.restartCount + 1;
    const last = await this.#room.files.lastRunLogged(podReferenceOf(pod), container.name);
    return last === null ? 0 : last + 1;
  }

  async #postStart(request: StartRequest, containerId: string, signal: AbortSignal): Promise<void> {
    const { pod, container } = request;
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    try {
      await runHook(this.#room, { pod, container, containerId }, handler, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // What it said may hold secrets of the container, and events are read by many.
      this.#tell(request, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      await this.#stopAfterHook(request, containerId, signal);
      const failure = { reason: 'PostStartHookError', message: messageOf(error) } as const;
      throw new ContainerNotStarted(container.name, failure, error);
    }
  }

  /**
   * A container whose hook failed must not go on. If it cannot be stopped now, the next sync will.
   */
  async #stopAfterHook({ pod, container }: StartRequest, id: string, signal: AbortSignal) {
    const stop = { id, name: container.name, message: 'FailedPostStartHook', graceSeconds: null };
    try {
      await this.#room.stopper.stopContainer(pod, stop, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = `Container ${container.name} could not be stopped: ${messageOf(error)}`;
      this.#room.events.record(
        containerReferenceOf(pod, container.name),
        'Warning',
        'Failed',
        message,
      );
    }
  }

  #tell(
    { pod, container }: StartRequest,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const about = containerReferenceOf(pod, container.name);
    this.#room.events.record(about, type, reason, message);
  }
}

/** Where the pod's containers see each other anyway, there is nobody to look into. */
function targetOf({ pod, container, runtimePod }: StartRequest): string | undefined {
  const { targetContainerName: name } = container;
  if (!name) return undefined;
  const newest = findNewest(runtimePod, name);
  if (newest?.state !== 'running') throw targetNotFound({ name });
  const { hostPID = false, shareProcessNamespace = false } = runSpecOf(pod);
  return hostPID || shareProcessNamespace ? undefined : newest.id;
}

function hasLastWords({
  terminationMessagePath = TERMINATION_MESSAGE_PATH,
}: RunContainer): boolean {
  return terminationMessagePath !== '';
}

function mustNotBeRoot(pod: Pod, container: RunContainer): boolean {
  const { securityContext } = runSpecOf(pod);
  return container.securityContext?.runAsNonRoot ?? securityContext?.runAsNonRoot ?? false;
}
