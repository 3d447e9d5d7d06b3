/**
 * Sees to it that the image of a container is there before the container is made.
 *
 *     Always ─────────────────────────────┐
 *     IfNotPresent ──> here? ──no─────────┴─> in back-off? ──no──> pull
 *     Never ─────────> here? ──no──> ErrImageNeverPull
 *
 * A pull that failed is not tried again for 10 s, then 20 s, up to 300 s, for each pod and image by
 * themselves (KL-54); meanwhile the status keeps saying what went wrong. The users of the pod hear
 * of every step, in the kubelet's words.
 */
import { formatGoDuration } from '../../api/time-duration.ts';
import type { Pod } from '../../api/pod.ts';
import { advance, CRASH_BACKOFF, isExpired, type BackOff } from '../../core/crash-backoff.ts';
import { defineError } from '../../lib/errors.ts';
import { Places } from '../../lib/places.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { FoundPullSecrets } from '../../ports/pull-secrets.ts';
import type { Credentials, Image, ImageStore } from '../../ports/runtime/image-store.ts';
import { BackOffError } from '../../ports/sync-failure.ts';
import { parseImageName, type ImageName } from '../../api/image-name.ts';
import type { PullRecords } from '../images/pull-records.ts';
import { containerReferenceOf, podReferenceOf, type RunContainer } from './run-spec.ts';
import { ContainerNotStarted, messageOf, type StartFailureReason } from './start-failure.ts';

export interface ImageManagerOptions {
  readonly clock: Clock;
  readonly images: ImageStore;
  readonly events: EventRecorder;
  /** How many pulls at once. 1: one after the other, as the kubelet does by default. */
  readonly parallelPullsMax?: number;
  /** Pulls a second, and at once. Absent or 0 a second: no limit. */
  readonly registryPullQps?: number | undefined;
  readonly registryBurst?: number | undefined;
  /** With whose secrets images were pulled. Absent: every pod may use what is here. */
  readonly records?: PullRecords | undefined;
}

export const pullsExceeded = defineError<{ limit: string }>({
  code: 'PULLS_EXCEEDED',
  retry: 'backoff',
  message: ({ limit }) => `pull ${limit} exceeded`,
  hint: () => 'It is tried again by itself. registryPullQPS and registryBurst set the limit.',
});

export const noCredentialsFit = defineError<{ reason: string }>({
  code: 'NO_CREDENTIALS_FIT',
  retry: 'backoff',
  message: ({ reason }) => reason,
  hint: () => 'Each of the pull secrets was tried. Check that one of them may read this image.',
});

interface FailedPull {
  readonly backOff: BackOff;
  /** What the pull said, for the status while nobody tries. */
  readonly said: string;
}

interface Request {
  readonly pod: Pod;
  readonly container: RunContainer;
  readonly image: string;
}

export class ImageManager {
  readonly #options: ImageManagerOptions;
  readonly #lanes: Places;
  readonly #budget: TokenBucket | null;
  readonly #failed = new Map<string, FailedPull>();

  constructor(options: ImageManagerOptions) {
    this.#options = options;
    const { clock, registryPullQps = 0, registryBurst = 1 } = options;
    this.#lanes = new Places(options.parallelPullsMax ?? 1);
    this.#budget =
      registryPullQps > 0
        ? new TokenBucket(registryPullQps, registryBurst, clock.monotonic())
        : null;
  }

  /** Returns the reference to make the container from. */
  async ensure(
    pod: Pod,
    container: RunContainer,
    secrets: FoundPullSecrets,
    signal: AbortSignal,
  ): Promise<string> {
    const request = { pod, container, image: container.image ?? '' };
    const { tag } = this.#checkName(request);
    const credentials = secrets.credentialsFor(request.image);
    // What the API server would have set.
    const { imagePullPolicy = tag === 'latest' ? 'Always' : 'IfNotPresent' } = container;
    if (imagePullPolicy !== 'Always') {
      const found = await this.#find(request);
      if (found && (await this.#mayUse(request, found, credentials))) {
        return this.#present(request, found);
      }
    }
    if (imagePullPolicy === 'Never') throw this.#neverPull(request);
    return this.#pull(request, credentials, signal);
  }

  /** Nobody needs what is remembered about pulls that failed long ago (KL-64, step 17). */
  collectGarbage(): void {
    const now = this.#options.clock.now();
    for (const [key, { backOff }] of this.#failed) {
      if (isExpired(backOff, now)) this.#failed.delete(key);
    }
  }

  /** A name that cannot be read ends here. */
  #checkName(request: Request): ImageName {
    const { container, image } = request;
    try {
      return parseImageName(image);
    } catch (error) {
      const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${messageOf(error)}`;
      this.#tell(request, 'Warning', 'InspectFailed', message);
      throw new ContainerNotStarted(container.name, { reason: 'InvalidImageName', message }, error);
    }
  }

  async #find(request: Request): Promise<Image | null> {
    const { container, image } = request;
    try {
      return await this.#options.images.find(image, useOf(container));
    } catch (error) {
      const message = `Failed to inspect image ${JSON.stringify(image)}: ${messageOf(error)}`;
      this.#tell(request, 'Warning', 'InspectFailed', message);
      const reason = 'ImageInspectError';
      throw new ContainerNotStarted(container.name, { reason, message }, error);
    }
  }

  #present(request: Request, { ref }: Image): string {
    const name = JSON.stringify(request.container.image);
    const message = `Container image ${name} already present on machine and can be accessed by the pod`;
    this.#tell(request, 'Normal', 'Pulled', message);
    return ref;
  }

  #neverPull(request: Request): ContainerNotStarted {
    const { container } = request;
    const name = JSON.stringify(container.image);
    const message = `Container image ${name} is not present with pull policy of Never`;
    this.#tell(request, 'Warning', 'ErrImageNeverPull', message);
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
    const name = JSON.stringify(request.container.image);
    this.#tell(request, 'Normal', 'Pulling', `Pulling image ${name}`);
    const askedAtMs = clock.monotonic();
    try {
      return await this.#lanes.run(async () => {
        const beganAtMs = clock.monotonic();
        this.#takeFromBudget(beganAtMs);
        const ref = await this.#pullNoted(request, credentials, signal);
        this.#failed.delete(key);
        await this.#pulled(request, clock.monotonic() - beganAtMs, clock.monotonic() - askedAtMs);
        return ref;
      }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#pullFailed(request, key, error);
    }
  }

  /** Whoever comes when the budget is spent has failed, and waits for its back-off. */
  #takeFromBudget(nowMs: number): void {
    if (!this.#budget) return;
    if (this.#budget.waitMs(nowMs) > 0) throw pullsExceeded({ limit: 'QPS' });
    this.#budget.take(nowMs);
  }

  async #mayUse({ image }: Request, { ref }: Image, own: readonly Credentials[]): Promise<boolean> {
    return (await this.#options.records?.mayUse(image, ref, own)) ?? true;
  }

  /** Noted before it begins: after a crash nobody takes the image for one that was always here. */
  async #pullNoted(
    request: Request,
    credentials: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<string> {
    const { records } = this.#options;
    const { image } = request;
    await records?.begin(image);
    try {
      const { ref, used } = await this.#pullWithAny(request, credentials, signal);
      await records?.succeeded(image, ref, used);
      return ref;
    } catch (error) {
      await records?.failed(image);
      throw error;
    }
  }

  /** Each of them is tried, until one is let in. Without any, it is pulled without a name. */
  async #pullWithAny(
    request: Request,
    credentials: readonly Credentials[],
    signal: AbortSignal,
  ): Promise<{ readonly ref: string; readonly used: Credentials | null }> {
    const { container, image } = request;
    const { images } = this.#options;
    const errors: unknown[] = [];
    for (const each of credentials.length > 0 ? credentials : [null]) {
      try {
        return { ref: await images.pull(image, each, signal, useOf(container)), used: each };
      } catch (error) {
        if (signal.aborted) throw error;
        errors.push(error);
      }
    }
    const reasons = [...new Set(errors.map(messageOf))];
    if (reasons.length === 1) throw errors[0];
    throw noCredentialsFit({ reason: `[${reasons.join(', ')}]` }, errors[0]);
  }

  async #pulled(request: Request, ms: number, withWaitingMs: number): Promise<void> {
    const { container, image } = request;
    const found = await this.#options.images.find(image, useOf(container)).catch(() => null);
    const name = JSON.stringify(container.image);
    const [pull, whole] = [ms, withWaitingMs].map((each) => formatGoDuration(Math.trunc(each)));
    const times = `${pull} (${whole} including waiting)`;
    const size = found?.sizeBytes ?? 0;
    const message = `Successfully pulled image ${name} in ${times}. Image size: ${size} bytes.`;
    this.#tell(request, 'Normal', 'Pulled', message);
  }

  #pullFailed(request: Request, key: string, error: unknown): ContainerNotStarted {
    const { container } = request;
    const now = this.#options.clock.now();
    const words = messageOf(error);
    const name = JSON.stringify(container.image);
    this.#tell(request, 'Warning', 'Failed', `Failed to pull image ${name}: ${words}`);
    const before = this.#failed.get(key)?.backOff;
    // The wait counts from this failure, so it is also what the reset is measured from.
    const backOff = advance(before, now, now, CRASH_BACKOFF);
    const { reason, message } = explain(container.image ?? '', words);
    this.#failed.set(key, { backOff, said: `${reason}: ${message}` });
    return new ContainerNotStarted(container.name, { reason, message }, error);
  }

  #refuseInBackOff(request: Request, failed: FailedPull | undefined): void {
    if (!failed) return;
    const { advancedAt, delayMs } = failed.backOff;
    const until = advancedAt + delayMs;
    if (this.#options.clock.now() >= until) return;
    const { container } = request;
    const words = `Back-off pulling image ${JSON.stringify(container.image)}`;
    this.#tell(request, 'Normal', 'BackOff', words);
    const message = `${words}: ${failed.said}`;
    const cause = new BackOffError(message, until);
    throw new ContainerNotStarted(container.name, { reason: 'ImagePullBackOff', message }, cause);
  }

  #tell(
    { pod, container }: Request,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    const about = containerReferenceOf(pod, container.name);
    this.#options.events.record(about, type, reason, message);
  }
}

function useOf({ command = [] }: RunContainer): { readonly hasCommand: boolean } {
  return { hasCommand: command.length > 0 };
}

function keyOf({ pod, container }: Request): string {
  return `${podReferenceOf(pod).uid}_${container.image ?? ''}`;
}

/** Runtimes begin two kinds of failure with a word of their own, which then is the reason. */
function explain(
  image: string,
  words: string,
): { readonly reason: StartFailureReason; readonly message: string } {
  for (const [reason, why] of [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const) {
    if (!words.startsWith(reason)) continue;
    const rest = words.slice(reason.length);
    return { reason, message: `image pull failed for ${image} because ${why}${rest}` };
  }
  return { reason: 'ErrImagePull', message: words };
}
