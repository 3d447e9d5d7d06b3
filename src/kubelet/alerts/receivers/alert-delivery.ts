/**
 * Delivers alerts to one receiver: Alertmanager (its v2 API) or a webhook.
 *
 *     fired, resolved ──> unsent ──a second──> posts of up to 64 alerts ──2xx──> sent
 *                           ▲                       ├── 4xx except 408 and 429 ──> dropped
 *                           │                       └── failed: again after 1, 2, 4, … up to 60 s, and jitter
 *                           └── firing ones again every minute
 *
 * 1. An alert stays unsent until the receiver has acknowledged its newest state, so a receiver that was down
 *    gets every alert once it is back, including alerts that resolved meanwhile.
 * 2. One post is sent at a time. For each alert, only the newest state is sent.
 * 3. A post that the receiver refuses (4xx) would be refused again: it is dropped, so that it does not block
 *    later alerts. Alerts that still fire are sent again a minute later.
 * 4. At most 10,000 alerts wait; beyond that the oldest are dropped.
 * 5. Dropped alerts are counted, and logged once for each reason.
 * 6. A receiver with severities gets only alerts with one of them; if it got an alert, it also gets the
 *    resolution.
 */
import { formatMicroTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Cancel, Clock } from '../../../ports/clock.ts';
import type { HttpPost } from '../../../ports/http-post.ts';
import type { Log } from '../../../ports/log.ts';
import type { Random } from '../../../ports/random.ts';
import type { AlertChange, AlertView } from '../alert-view.ts';
import type { AlertReceiver } from './receiver-file.ts';
import { authoritiesIn, tokenIn } from './receiver-token.ts';

export interface AlertDeliveryDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  readonly post: HttpPost;
  readonly random: Random;
  readonly receiver: AlertReceiver;
  /** Counts alerts that the receiver never gets. */
  readonly dropped: (receiver: string, reason: string, alerts: number) => void;
}

/** `refused`: the same post would be refused again. */
interface PostOutcome {
  readonly type: 'delivered' | 'refused' | 'failed';
  readonly problem: string;
}

const GROUP_MS = 1000;
const RESEND_MS = 60_000;
/** Alertmanager resolves an alert if it is not sent again within this time. */
const LIFETIME_MS = 4 * RESEND_MS;
const BACK_OFF_MS_MAX = 60_000;
const JITTER_FACTOR = 0.5;
/** Request Timeout and Too Many Requests: a later try may succeed. */
const RETRIED_4XX: ReadonlySet<number> = new Set([408, 429]);
const TIMEOUT_MS = 10_000;
const BATCH_MAX = 64;
const UNSENT_MAX = 10_000;

export class AlertDelivery {
  readonly #deps: AlertDeliveryDeps;
  readonly #unsent = new Map<string, AlertView>();
  readonly #firing = new Map<string, AlertView>();
  readonly #abort = new AbortController();
  #cancelFlush: Cancel | null = null;
  #cancelResend: Cancel = () => {};
  readonly #loggedReasons = new Set<string>();
  #isPosting = false;
  #backOffMs = 0;

  constructor(deps: AlertDeliveryDeps, firing: readonly AlertView[] = []) {
    this.#deps = deps;
    for (const alert of firing) this.changed({ before: null, after: alert });
    this.#resendLater();
  }

  changed({ before, after }: AlertChange): void {
    if (!after || after.state === 'pending' || after.state === before?.state) return;
    if (!this.#isWanted(after)) return;
    if (after.state === 'firing') this.#firing.set(after.key, after);
    else this.#firing.delete(after.key);
    this.#add(after);
  }

  #isWanted({ key, severity }: AlertView): boolean {
    const { severities } = this.#deps.receiver;
    return severities.length === 0 || severities.includes(severity) || this.#firing.has(key);
  }

  close(): void {
    this.#abort.abort(new Error('podkeep stops, or its alert rules changed'));
    this.#cancelFlush?.();
    this.#cancelResend();
  }

  #add(alert: AlertView): void {
    this.#unsent.delete(alert.key);
    this.#unsent.set(alert.key, alert);
    const [oldest] = this.#unsent.keys();
    if (this.#unsent.size > UNSENT_MAX && oldest !== undefined) {
      this.#unsent.delete(oldest);
      this.#dropped('too many alerts wait', 1);
    }
    this.#flushAfter(GROUP_MS);
  }

  #resendLater(): void {
    this.#cancelResend = this.#deps.clock.after(RESEND_MS, () => {
      for (const alert of this.#firing.values()) if (!this.#unsent.has(alert.key)) this.#add(alert);
      this.#resendLater();
    });
  }

  #flushAfter(delayMs: number): void {
    if (this.#isPosting || this.#abort.signal.aborted) return;
    this.#cancelFlush ??= this.#deps.clock.after(delayMs, () => {
      this.#cancelFlush = null;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#isPosting = true;
    const batch = [...this.#unsent.values()].slice(0, BATCH_MAX);
    const outcome = await this.#post(batch);
    this.#isPosting = false;
    if (this.#abort.signal.aborted) return;
    const pauseMs = outcome.type === 'failed' ? this.#failed(outcome.problem) : this.#done(batch);
    if (outcome.type === 'refused') this.#dropped(outcome.problem, batch.length);
    if (this.#unsent.size > 0)
      this.#flushAfter(outcome.type === 'refused' ? Math.max(pauseMs, GROUP_MS) : pauseMs);
  }

  /** Returns how long to wait before the next post. */
  #done(batch: readonly AlertView[]): number {
    // An alert that changed meanwhile is another object, and is sent again.
    for (const alert of batch)
      if (this.#unsent.get(alert.key) === alert) this.#unsent.delete(alert.key);
    this.#backOffMs = 0;
    return 0;
  }

  #failed(problem: string): number {
    const isNew = this.#backOffMs === 0;
    this.#backOffMs = Math.min(Math.max(this.#backOffMs * 2, GROUP_MS), BACK_OFF_MS_MAX);
    if (isNew)
      this.#deps.log.warn('Failed to deliver alerts; retrying', { ...this.#facts(), problem });
    // Jitter: nodes that lost the same receiver must not all retry at the same time.
    return this.#backOffMs * (1 + JITTER_FACTOR * this.#deps.random.next());
  }

  #dropped(reason: string, alerts: number): void {
    this.#deps.dropped(this.#deps.receiver.name, reason, alerts);
    if (this.#loggedReasons.has(reason)) return;
    this.#loggedReasons.add(reason);
    this.#deps.log.warn('Alerts dropped', { ...this.#facts(), reason, alerts });
  }

  async #post(batch: readonly AlertView[]): Promise<PostOutcome> {
    const { clock, post, receiver } = this.#deps;
    const deadline = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => deadline.abort(new Error('no answer in time')));
    try {
      const { url, body } = this.#requestOf(batch);
      const bearerToken = tokenIn(receiver.bearerTokenFile);
      const ca = authoritiesIn(receiver.caFile);
      const signal = AbortSignal.any([deadline.signal, this.#abort.signal]);
      const status = await post({ url, body, bearerToken, ca }, signal);
      return outcomeOf(status);
    } catch (error) {
      return { type: 'failed', problem: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
    }
  }

  #requestOf(batch: readonly AlertView[]): { readonly url: string; readonly body: string } {
    const { receiver, nodeName, clock } = this.#deps;
    const alerts = batch.map((alert) => alertFor(alert, clock.now()));
    if (receiver.type === 'alertmanager') {
      const url = `${receiver.url.replace(/\/+$/, '')}/api/v2/alerts`;
      return { url, body: JSON.stringify(alerts) };
    }
    const stated = alerts.map((alert, index) => ({ status: batch[index]?.state ?? '', ...alert }));
    return {
      url: receiver.url,
      body: JSON.stringify({ version: '1', node: nodeName, alerts: stated }),
    };
  }

  #facts() {
    const { name, type } = this.#deps.receiver;
    return { receiver: name, type, waiting: this.#unsent.size };
  }
}

function outcomeOf(status: number): PostOutcome {
  const problem = `the answer is ${status}`;
  if (status >= 200 && status < 300) return { type: 'delivered', problem: '' };
  const isRefused = status >= 400 && status < 500 && !RETRIED_4XX.has(status);
  return { type: isRefused ? 'refused' : 'failed', problem };
}

function alertFor(alert: AlertView, nowMs: number): JsonObject {
  const { labels, annotations, activeAtMs, resolvedAtMs } = alert;
  return {
    labels,
    annotations,
    startsAt: formatMicroTime(activeAtMs),
    endsAt: formatMicroTime(resolvedAtMs ?? nowMs + LIFETIME_MS),
  };
}
