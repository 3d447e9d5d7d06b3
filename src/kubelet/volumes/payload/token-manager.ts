/**
 * Requests and caches service account tokens of pods. A token is renewed when a fifth of its lifetime is
 * left, and after a day at the latest, with some seconds of jitter so that not all pods of a node request
 * tokens at once.
 *
 * A token that could not be renewed is used until it expires.
 */
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import type { PodReference } from '../../../api/pod-reference.ts';
import type { Random } from '../../../ports/random.ts';
import type {
  ServiceAccountToken,
  TokenSource,
  TokenSpec,
} from '../../../ports/api/token-source.ts';
import { fileErrorText, volumeUnusable } from '../volume-errors.ts';

export interface TokenRequest {
  readonly pod: PodReference;
  readonly account: string;
  readonly spec: TokenSpec;
}

export interface HeldToken {
  readonly token: string;
  /** Wall time in milliseconds at which a new token should be requested. */
  readonly renewAtMs: number;
}

export interface TokenManagerOptions {
  readonly source: TokenSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface Entry extends HeldToken {
  readonly uid: string;
  readonly expiresAtMs: number;
}

const LIFE_MS_MAX = 24 * 3_600_000;
const LEFT_SHARE = 0.2;
const JITTER_MS_MAX = 10_000;

export class TokenManager {
  readonly #options: TokenManagerOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: TokenManagerOptions) {
    this.#options = options;
  }

  async get(request: TokenRequest, signal?: AbortSignal): Promise<HeldToken> {
    const { source, clock, log } = this.#options;
    const { pod, account, spec } = request;
    const key = JSON.stringify([pod.uid, account, pod.namespace, spec]);
    const held = this.#entries.get(key);
    if (held && clock.now() <= held.renewAtMs) return held;
    try {
      const token = await source.request(pod.namespace, account, spec, pod, signal);
      const entry = this.#entryOf(pod.uid, token);
      this.#entries.set(key, entry);
      return entry;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = fileErrorText(error);
      if (!held) throw volumeUnusable({ reason: `failed to fetch token: ${reason}` }, error);
      if (clock.now() > held.expiresAtMs) {
        const title = `${JSON.stringify(account)}/${JSON.stringify(pod.namespace)}`;
        const text = `token ${title} expired and refresh failed: ${reason}`;
        throw volumeUnusable({ reason: text }, error);
      }
      log.warn("Couldn't update token", { pod, account, error });
      return held;
    }
  }

  /** Forgets the tokens of a pod that was removed. */
  forget(uid: string): void {
    for (const [key, entry] of this.#entries) if (entry.uid === uid) this.#entries.delete(key);
  }

  #entryOf(uid: string, { token, expiresAtMs, expirationSeconds }: ServiceAccountToken): Entry {
    const lifeMs = expirationSeconds * 1000;
    const dueMs = Math.min(expiresAtMs - lifeMs + LIFE_MS_MAX, expiresAtMs - lifeMs * LEFT_SHARE);
    const jitterMs = this.#options.random.next() * JITTER_MS_MAX;
    return { uid, token, expiresAtMs, renewAtMs: dueMs - jitterMs };
  }
}
