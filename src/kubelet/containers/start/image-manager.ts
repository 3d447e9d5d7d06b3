/**
 * Makes sure that the image of a container is present before the container is created.
 *
 *     Always ─────────────────────────────┐
 *     IfNotPresent ──> present? ──no──────┴─> in back-off? ──no──> pull
 *     Never ─────────> present? ──no──> ErrImageNeverPull
 *
 * A failed pull is retried after 10 s, then after 20 s, up to 300 s, separately for each pod and image
 * (KL-54); meanwhile the status shows the error. Each step is recorded as an Event, with the messages of
 * Kubernetes' kubelet.
 */
import { formatGoDuration } from '../../../api/values/time-duration.ts';
import type { Pod } from '../../../api/pod.ts';
import {
  advance,
  CRASH_BACKOFF,
  isBackOffExpired,
  type BackOff,
} from '../../../core/pod-actions/crash-backoff.ts';
import { imageWait, type WaitName } from '../../../core/pod-waits/wait-names.ts';
import { defineError } from '../../../lib/errors.ts';
import { Semaphore } from '../../../lib/semaphore.ts';
import { TokenBucket } from '../../../lib/token-bucket.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { FoundPullSecrets } from '../../../ports/api/pull-secrets.ts';
import type { Credentials, Image, ImageStore } from '../../../ports/runtime/image-store.ts';
import { BackOffError } from '../../../ports/pod/sync-failure.ts';
import { parseImageName, type ImageName } from '../../../api/values/image-name.ts';
import type { PullRecords } from '../../images/pull-records.ts';
import { containerReferenceOf, podReferenceOf, type RunContainer } from '../../../api/run-spec.ts';
import type { PodWaits } from '../../waiting/pod-waits.ts';
import { ContainerNotStarted, failureMessageOf, type StartFailureReason } from './start-failure.ts';

export interface ImageManagerOptions {
  readonly clock: Clock;
  readonly images: ImageStore;
  readonly events: EventRecorder;
  /** Parallel pulls. 1: one after the other, the kubelet's default. */
  readonly parallelPullsMax?: number;
  /** Pulls per second, and burst. Absent or 0 per second: no limit. */
  readonly registryPullQps?: number | undefined;
  readonly registryBurst?: number | undefined;
  /** Records which secrets images were pulled with. Absent: every pod may use every present image. */
  readonly records?: PullRecords | undefined;
  /** Called when a pull for this pod begins; the result ends it. Absent: pulls are not measured. */
  readonly pulling?: ((podUid: string) => () => void) | undefined;
  /** Absent: what pods wait for is not recorded. */
  readonly waits?: PodWaits | undefined;
}

export const pullsExceeded = defineError<{ limit: string }>({
  code: 'PULLS_EXCEEDED',
  retry: 'backoff',
  message: ({ limit }) => `pull ${limit} exceeded`,
  hint: () => 'Podkeep retries automatically. registryPullQPS and registryBurst set the limit.',
});

export const noCredentialsFit = defineError<{ reason: string }>({
  code: 'NO_CREDENTIALS_FIT',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'All pull secrets were tried. Check that one of them may pull this image.',
});

interface FailedPull {
  readonly backOff: BackOff;
  /** The error of the pull, for the status during the back-off. */
  readonly given: string;
}

/** An image that a container mounts. */
export interface ImageVolumeRequest {
  readonly image: string;
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
}

interface Request {
  readonly pod: Pod;
  readonly container: RunContainer;
  readonly image: string;
  /** The container mounts the image; Events are then about the pod, as the kubelet's. */
  readonly isVolume: boolean;
}

export class ImageManager {
  readonly #options: ImageManagerOptions;
  readonly #lanes: Semaphore;
  readonly #budget: TokenBucket | null;
  readonly #failed = new Map<string, FailedPull>();

  constructor(options: ImageManagerOptions) {
    this.#options = options;
    const { clock, registryPullQps = 0, registryBurst = 1 } = options;
    this.#lanes = new Semaphore(options.parallelPullsMax ?? 1);
    this.#budget =
      registryPullQps > 0
        ? new TokenBucket(registryPullQps, registryBurst, clock.monotonic())
        : null;
  }

  /** Returns the reference to create the container from. */
  async ensure(
    pod: Pod,
    container: RunContainer,
    secrets: FoundPullSecrets,
    signal: AbortSignal,
  ): Promise<string> {
    const { image = '', imagePullPolicy } = container;
    const request = { pod, container, image, isVolume: false };
    return this.#ensure(request, imagePullPolicy, secrets, signal);
  }

  /** The same for an image that the container mounts. */
  async ensureVolume(
    pod: Pod,
    container: RunContainer,
    { image, pullPolicy }: ImageVolumeRequest,
    secrets: FoundPullSecrets,
    signal: AbortSignal,
  ): Promise<string> {
    return this.#ensure({ pod, container, image, isVolume: true }, pullPolicy, secrets, signal);
  }

  async #ensure(
    request: Request,
    pullPolicy: RunContainer['imagePullPolicy'],
    secrets: FoundPullSecrets,
    signal: AbortSignal,
  ): Promise<string> {
    const { tag } = this.#checkName(request);
    const credentials = secrets.credentialsFor(request.image);
    // The default of the API server.
    const imagePullPolicy = pullPolicy ?? (tag === 'latest' ? 'Always' : 'IfNotPresent');
    // An image without a registry cannot be pulled, and no Event claims that it was.
    const isLocal = this.#options.images.isLocal?.(request.image) ?? false;
    if (imagePullPolicy !== 'Always' || isLocal) {
      const found = await this.#find(request);
      if (found && (await this.#mayUse(request, found, credentials))) {
        return this.#present(request, found);
      }
    }
    if (imagePullPolicy === 'Never') throw this.#neverPull(request);
    return this.#pull(request, credentials, signal);
  }

  /** Forgets expired back-offs of pulls (KL-64, step 17). */
  collectGarbage(): void {
    const now = this.#options.clock.now();
    for (const [key, { backOff }] of this.#failed) {
      if (isBackOffExpired(backOff, now)) this.#failed.delete(key);
    }
  }

  /** Throws if the image name is invalid. */
  #checkName(request: Request): ImageName {
    const { container, image } = request;
    try {
      return parseImageName(image);
    } catch (error) {
      const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${failureMessageOf(error)}`;
      this.#record(request, 'Warning', 'InspectFailed', message);
      throw new ContainerNotStarted(container.name, { reason: 'InvalidImageName', message }, error);
    }
  }

  async #find(request: Request): Promise<Image | null> {
    const { container, image } = request;
    try {
      return await this.#options.images.find(image, useOf(request));
    } catch (error) {
      const message = `Failed to inspect image ${JSON.stringify(image)}: ${failureMessageOf(error)}`;
      this.#record(request, 'Warning', 'InspectFailed', message);
      const reason = 'ImageInspectError';
      throw new ContainerNotStarted(container.name, { reason, message }, error);
    }
  }

  #present(request: Request, { ref }: Image): string {
    const name = JSON.stringify(request.image);
    const message = `Container image ${name} already present on machine and can be accessed by the pod`;
    this.#options.waits?.over(podReferenceOf(request.pod), waitOf(request));
    this.#record(request, 'Normal', 'Pulled', message);
    return ref;
  }

  #neverPull(request: Request): ContainerNotStarted {
    const { container } = request;
    const name = JSON.stringify(request.image);
    const message = `Container image ${name} is not present with pull policy of Never`;
    this.#record(request, 'Warning', 'ErrImageNeverPull', message);
    return new ContainerNotStarted(container.name, { reason: 'ErrImageNeverPull', message });
  }

  async #pull(
    request: Request,
    credentials: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<string> {
    const { clock } = this.#options;
    const key = keyOf(request);
    this.#refuseInBackOff(request, this.#failed.get(key));
    const name = JSON.stringify(request.image);
    this.#record(request, 'Normal', 'Pulling', `Pulling image ${name}`);
    const askedAtMs = clock.monotonic();
    try {
      return await this.#lanes.run(async () => {
        const beganAtMs = clock.monotonic();
        this.#takeFromBudget(beganAtMs);
        const ref = await this.#pullNoted(request, credentials, signal);
        this.#failed.delete(key);
        this.#options.waits?.over(podReferenceOf(request.pod), waitOf(request));
        await this.#pulled(request, clock.monotonic() - beganAtMs, clock.monotonic() - askedAtMs);
        return ref;
      }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#pullFailed(request, key, error);
    }
  }

  /** A pull beyond the rate limit fails, and is retried after its back-off. */
  #takeFromBudget(nowMs: number): void {
    if (!this.#budget) return;
    if (this.#budget.waitMs(nowMs) > 0) throw pullsExceeded({ limit: 'QPS' });
    this.#budget.take(nowMs);
  }

  async #mayUse({ image }: Request, { ref }: Image, own: readonly Credentials[]): Promise<boolean> {
    return (await this.#options.records?.mayUse(image, ref, own)) ?? true;
  }

  /** Recorded before the pull starts: after a crash, the image does not count as preloaded. */
  async #pullNoted(
    request: Request,
    credentials: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<string> {
    const { records } = this.#options;
    const { image } = request;
    await records?.begin(image);
    const pulled = this.#options.pulling?.(request.pod.metadata.uid ?? '');
    try {
      const { ref, used } = await this.#pullWithAny(request, credentials, signal);
      await records?.succeeded(image, ref, used);
      return ref;
    } catch (error) {
      await records?.failed(image);
      throw error;
    } finally {
      pulled?.();
    }
  }

  /** Tries the credentials until the registry accepts one. Without any, it pulls anonymously. */
  async #pullWithAny(
    request: Request,
    credentials: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<{ readonly ref: string; readonly used: Credentials | null }> {
    const { image } = request;
    const { images } = this.#options;
    const errors: unknown[] = [];
    for (const each of credentials.length > 0 ? credentials : [null]) {
      try {
        return { ref: await images.pull(image, each, signal, useOf(request)), used: each };
      } catch (error) {
        if (signal.aborted) throw error;
        errors.push(error);
      }
    }
    const reasons = [...new Set(errors.map(failureMessageOf))];
    if (reasons.length === 1) throw errors[0];
    throw noCredentialsFit({ reason: `[${reasons.join(', ')}]` }, errors[0]);
  }

  async #pulled(request: Request, ms: number, withWaitingMs: number): Promise<void> {
    const { image } = request;
    const found = await this.#options.images.find(image, useOf(request)).catch(() => null);
    const name = JSON.stringify(request.image);
    const [pull, whole] = [ms, withWaitingMs].map((each) => formatGoDuration(Math.trunc(each)));
    const times = `${pull} (${whole} including waiting)`;
    const size = found?.sizeBytes ?? 0;
    const message = `Successfully pulled image ${name} in ${times}. Image size: ${size} bytes.`;
    this.#record(request, 'Normal', 'Pulled', message);
  }

  #pullFailed(request: Request, key: string, error: unknown): ContainerNotStarted {
    const { container } = request;
    const now = this.#options.clock.now();
    const text = failureMessageOf(error);
    const name = JSON.stringify(request.image);
    this.#record(request, 'Warning', 'Failed', `Failed to pull image ${name}: ${text}`);
    const before = this.#failed.get(key)?.backOff;
    // The back-off counts from this failure, and so does its reset.
    const backOff = advance(before, now, now, CRASH_BACKOFF);
    const { reason, message } = explain(request.image, text);
    this.#failed.set(key, { backOff, given: `${reason}: ${message}` });
    this.#options.waits?.wait(podReferenceOf(request.pod), waitOf(request), {
      why: `${reason}: ${message}`,
      nextAtMs: backOff.advancedAt + backOff.delayMs,
    });
    return new ContainerNotStarted(container.name, { reason, message }, error);
  }

  #refuseInBackOff(request: Request, failed: FailedPull | undefined): void {
    if (!failed) return;
    const { advancedAt, delayMs } = failed.backOff;
    const until = advancedAt + delayMs;
    if (this.#options.clock.now() >= until) return;
    const { container } = request;
    const text = `Back-off pulling image ${JSON.stringify(request.image)}`;
    this.#record(request, 'Normal', 'BackOff', text);
    const message = `${text}: ${failed.given}`;
    const cause = new BackOffError(message, until);
    throw new ContainerNotStarted(container.name, { reason: 'ImagePullBackOff', message }, cause);
  }

  #record(
    { pod, container, isVolume }: Request,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const about = isVolume ? podReferenceOf(pod) : containerReferenceOf(pod, container.name);
    this.#options.events.record(about, type, reason, message);
  }
}

/** A mounted image runs nothing. */
function useOf({ container, isVolume }: Request): { readonly hasCommand: boolean } {
  return { hasCommand: isVolume || (container.command ?? []).length > 0 };
}

function waitOf({ container, image }: Request): WaitName {
  return imageWait(container.name, image);
}

function keyOf({ pod, image }: Request): string {
  return `${podReferenceOf(pod).uid}_${image}`;
}

/** Errors of runtimes that begin with one of two fixed words have this word as their reason. */
function explain(
  image: string,
  text: string,
): { readonly reason: StartFailureReason; readonly message: string } {
  for (const [reason, why] of [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const) {
    if (!text.startsWith(reason)) continue;
    const rest = text.slice(reason.length);
    return { reason, message: `image pull failed for ${image} because ${why}${rest}` };
  }
  return { reason: 'ErrImagePull', message: text };
}
