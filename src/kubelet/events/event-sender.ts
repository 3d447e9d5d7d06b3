/**
 * Brings one event to the API: created, or patched if it is there, and again if nobody answered.
 *
 *     patch? ──PATCH──> 404: it has expired ──┐
 *        └─ no ───────────────────────────────┴──POST──> written
 *
 * Whether and when to try again is decided in `core/events/delivery.ts`. Each request, of a first try or
 * not, takes its share of eventRecordQPS and eventBurst.
 */
import type { Correlated } from '../../core/events/correlator.ts';
import { isGone, judge, type Verdict } from '../../core/events/delivery.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import { ApiError } from '../../ports/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeRequest } from '../../ports/kube-api.ts';
import type { Log, LogFacts } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import { wait } from '../pod-runner/wait.ts';

export interface SenderRoom {
  readonly api: Pick<KubeApi, 'send'>;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** eventRecordQPS: requests a second; 0 or less: no limit. */
  readonly qps: number;
  /** eventBurst: how many of them may be saved up. */
  readonly burst: number;
}

const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

export class EventSender {
  readonly #room: SenderRoom;
  readonly #budget: TokenBucket;

  constructor(room: SenderRoom) {
    this.#room = room;
    const { qps, burst, clock } = room;
    this.#budget = new TokenBucket(qps > 0 ? qps : -1, burst, clock.monotonic());
  }

  /** Resolves when it is written or given up. Rejects only with the reason of the signal. */
  async send(correlated: Correlated, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#write(correlated, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const refusal = error instanceof ApiError ? error : null;
        const verdict = judge(refusal, tries, this.#room.random.next());
        this.#say(correlated, verdict, tries, error);
        if (verdict.type === 'giveUp') return;
        await wait(this.#room.clock, verdict.delayMs, signal);
      }
    }
  }

  async #write({ event, patch }: Correlated, signal: AbortSignal): Promise<void> {
    const { name, namespace } = event.metadata;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    if (patch) {
      const contentType = STRATEGIC_MERGE_PATCH;
      const request = {
        method: 'PATCH',
        path: `${path}/${name}`,
        contentType,
        body: patch,
      } as const;
      if (await this.#found(request, signal)) return;
    }
    await this.#request({ method: 'POST', path, body: event }, signal);
  }

  async #found(request: KubeRequest, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#request(request, signal);
      return true;
    } catch (error) {
      if (error instanceof ApiError && isGone(error)) return false;
      throw error;
    }
  }

  async #request(request: KubeRequest, signal: AbortSignal): Promise<void> {
    const { api, clock } = this.#room;
    for (;;) {
      const delayMs = this.#budget.waitMs(clock.monotonic());
      if (delayMs === 0) break;
      await wait(clock, delayMs, signal);
    }
    this.#budget.take(clock.monotonic());
    await api.send(request, signal);
  }

  #say({ event }: Correlated, verdict: Verdict, tries: number, error: unknown): void {
    const { log } = this.#room;
    const { involvedObject: about, type, reason, message } = event;
    const facts: LogFacts = { about, type, reason, message, tries, error };
    if (verdict.type === 'giveUp') {
      if (verdict.isNews) log.error('An event could not be written and is given up', facts);
      else log.debug('An event was not needed any more', facts);
    } else if (tries === 1) {
      log.warn('An event could not be written; it is tried again', facts);
    } else {
      log.debug('An event still could not be written', facts);
    }
  }
}
