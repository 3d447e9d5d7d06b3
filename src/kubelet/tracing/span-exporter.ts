/**
 * Exports spans by OTLP over HTTP, in JSON. core/tracing/span-export decides when to send and what to drop.
 * Traced work only puts its span into a queue, and never waits.
 *
 * The first failure and the first success after failures are logged. Dropped spans are counted.
 */
import type { EndedSpan } from '../../core/tracing/otlp-json.ts';
import * as spanExport from '../../core/tracing/span-export.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { HttpPost } from '../../ports/http-post.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import type { SpanMetrics } from './span-metrics.ts';

export interface SpanExporterDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly post: HttpPost;
  readonly url: string;
  readonly encode: (spans: readonly EndedSpan[]) => string;
  readonly metrics: SpanMetrics;
}

const TIMEOUT_MS = 10_000;
const FLUSH_MS = 2000;
const HINT =
  'Podkeep exports OTLP over HTTP in JSON (POST /v1/traces), not over gRPC; collectors listen for it on port 4318 by default.';

export class SpanExporter {
  readonly #deps: SpanExporterDeps;
  readonly #queue: EndedSpan[] = [];
  readonly #abort = new AbortController();
  readonly #finished: Promise<void>;
  #finish = (): void => {};
  #state: spanExport.State = spanExport.initial;
  #cancelWake: Cancel = () => {};
  #isFailing = false;

  constructor(deps: SpanExporterDeps) {
    this.#deps = deps;
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  add(span: EndedSpan): void {
    this.#decide({ type: 'ended' }, span);
  }

  /** Sends the queued spans. Resolves after two seconds at the latest. */
  async close(): Promise<void> {
    const cancel = this.#deps.clock.after(FLUSH_MS, () => {
      this.#decide({ type: 'expired' });
      this.#abort.abort(new Error('podkeep stops'));
    });
    this.#decide({ type: 'stopping' });
    await this.#finished.finally(cancel);
  }

  #decide(event: spanExport.Event, span?: EndedSpan): void {
    const { state, effects } = spanExport.decide(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect, span);
  }

  #perform(effect: spanExport.Effect, span: EndedSpan | undefined): void {
    const { clock, metrics } = this.#deps;
    switch (effect.type) {
      case 'store':
        if (span) this.#queue.push(span);
        break;
      case 'reject':
        metrics.dropped(effect.why, 1);
        break;
      case 'exported':
        this.#queue.splice(0, effect.count);
        metrics.exported(effect.count);
        break;
      case 'drop':
        this.#queue.splice(0, effect.count);
        metrics.dropped(effect.why, effect.count);
        break;
      case 'send':
        void this.#send(this.#queue.slice(0, effect.count));
        break;
      case 'wakeAfter':
        this.#cancelWake = clock.after(effect.delayMs, () => this.#decide({ type: 'woke' }));
        break;
      case 'cancelWake':
        this.#cancelWake();
        break;
      case 'finish':
        this.#finish();
        break;
    }
  }

  async #send(batch: readonly EndedSpan[]): Promise<void> {
    const { clock, random, post, url, encode } = this.#deps;
    const deadline = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => deadline.abort(new Error('no answer in time')));
    let outcome: spanExport.Outcome = 'unavailable';
    let problem: string | null = null;
    try {
      const signal = AbortSignal.any([deadline.signal, this.#abort.signal]);
      const status = await post({ url, body: encode(batch) }, signal);
      outcome = spanExport.outcomeOfAnswer(status);
      if (outcome !== 'accepted') problem = `the answer is ${status}`;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    } finally {
      cancel();
    }
    this.#report(problem);
    this.#decide({ type: 'settled', outcome, chance: random.next() });
  }

  #report(problem: string | null): void {
    const { log, url } = this.#deps;
    if (problem !== null && !this.#isFailing) {
      log.warn('Failed to export spans', { url, problem, hint: HINT });
    }
    if (problem === null && this.#isFailing) log.info('Span export works again', { url });
    this.#isFailing = problem !== null;
  }
}
