/**
 * Writes one event to the API: creates it, or patches it if it exists, and retries if the API does not
 * answer.
 *
 *     patch? ──PATCH──> 404: it has expired ──┐
 *        └─ no ───────────────────────────────┴──POST──> written
 *
 * `core/events/delivery.ts` decides whether and when to retry. Each request, retries included, counts against
 * the limits eventRecordQPS and eventBurst.
 */
import type { Correlated } from '../../core/events/correlator.ts';
import { isGone, decideDelivery, type DeliveryDecision } from '../../core/events/delivery.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeRequest } from '../../ports/api/kube-api.ts';
import type { Log, LogFacts } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import { wait } from '../waiting/wait.ts';

export interface SenderDeps {
  readonly api: Pick<KubeApi, 'send'>;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** eventRecordQPS: requests per second; 0 or less: no limit. */
  readonly qps: number;
  /** eventBurst. */
  readonly burst: number;
}

const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

export class EventSender {
  readonly #deps: SenderDeps;
  readonly #budget: TokenBucket;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    const { qps, burst, clock } = deps;
    this.#budget = new TokenBucket(qps > 0 ? qps : -1, burst, clock.monotonic());
  }

  /** Resolves when it is written or given up. Rejects only with the signal's reason. */
  async send(correlated: Correlated, signal: AbortSignal): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#write(correlated, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const refusal = error instanceof ApiError ? error : null;
        const decision = decideDelivery(refusal, tries, this.#deps.random.next());
        this.#say(correlated, decision, tries, error);
        if (decision.type === 'giveUp') return;
        await wait(this.#deps.clock, decision.delayMs, signal);
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
    const { api, clock } = this.#deps;
    for (;;) {
      const delayMs = this.#budget.waitMs(clock.monotonic());
      if (delayMs === 0) break;
      await wait(clock, delayMs, signal);
    }
    this.#budget.take(clock.monotonic());
    await api.send(request, signal);
  }

  #say({ event }: Correlated, decision: DeliveryDecision, tries: number, error: unknown): void {
    const { log } = this.#deps;
    const { involvedObject: about, type, reason, message } = event;
    const facts: LogFacts = { about, type, reason, message, tries, error };
    if (decision.type === 'giveUp') {
      if (decision.isNew) log.error('Unable to write event (will not retry!)', facts);
      else log.debug('Server rejected event (will not retry!)', facts);
    } else if (tries === 1) {
      log.warn('Unable to write event (may retry after sleeping)', facts);
    } else {
      log.debug('Unable to write event (may retry after sleeping)', facts);
    }
  }
}
