/**
 * Creates the spans of a node whose configuration has `tracing`, without the OpenTelemetry SDK. The active
 * span follows the work over every `await`, so runtime calls become children of the sync that makes them.
 *
 * 1. The trace ID decides once, at the root span, whether all spans of the trace are sampled. A span that is
 *    not sampled is active, too, so that work inside of it does not begin a trace of its own.
 * 2. A span that has ended gets no children. Timers that a sync has set, such as those of probes, still carry
 *    its context; the work that they start begins a new trace.
 * 3. All times in a trace are the wall time of its root plus monotonic time since then. So a child never lies
 *    outside of its parent, even if the system clock is set meanwhile.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EndedSpan } from '../../core/tracing/otlp-json.ts';
import { isTraceSampled } from '../../core/tracing/trace-sampling.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RunInSpan, SpanOptions } from '../../ports/observe/run-in-span.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import { messageOf, outcomeOf } from '../pod-workers/outcome.ts';
import { CANCELLED_ATTRIBUTE } from './pod-spans.ts';

export interface NodeTracerDeps {
  readonly clock: Clock;
  /** Draws the IDs of traces and spans. */
  readonly random: IdentityRandom;
  readonly samplingRatePerMillion: number;
  /** Called with each sampled span when it has ended. */
  readonly ended: (span: EndedSpan) => void;
}

interface Trace {
  readonly id: string;
  readonly isSampled: boolean;
  readonly wallMs: number;
  readonly monotonicMs: number;
}

interface ActiveSpan {
  readonly trace: Trace;
  readonly id: string;
  isEnded: boolean;
}

type End = Pick<EndedSpan, 'attributes' | 'failure'>;

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const NS_PER_MS = 1_000_000;
/** Spans wait in memory for their export, so the messages of their errors are cut to this length. */
const MESSAGE_MAX = 4096;
const NEVER_ABORTED = new AbortController().signal;

export class NodeTracer {
  readonly #deps: NodeTracerDeps;
  readonly #active = new AsyncLocalStorage<ActiveSpan>();

  constructor(deps: NodeTracerDeps) {
    this.#deps = deps;
  }

  readonly run: RunInSpan = (options, work) => {
    const active = options.isRoot ? undefined : this.#active.getStore();
    const parent = active?.isEnded ? undefined : active;
    const trace = parent?.trace ?? this.#startTrace();
    const span: ActiveSpan = { trace, id: this.#draw(SPAN_ID_BYTES), isEnded: false };
    const beganAtMs = this.#deps.clock.monotonic();
    const end = (how: End): void => {
      span.isEnded = true;
      if (trace.isSampled) this.#deps.ended(this.#spanOf(span, parent, options, beganAtMs, how));
    };
    return this.#active.run(span, async () => {
      try {
        const result = await work();
        end({ attributes: options.attributes, failure: null });
        return result;
      } catch (error) {
        end(endOf(error, options));
        throw error;
      }
    });
  };

  #startTrace(): Trace {
    const { clock, samplingRatePerMillion } = this.#deps;
    const id = this.#draw(TRACE_ID_BYTES);
    const isSampled = isTraceSampled(id, samplingRatePerMillion);
    return { id, isSampled, wallMs: clock.now(), monotonicMs: clock.monotonic() };
  }

  #spanOf(
    { trace, id }: ActiveSpan,
    parent: ActiveSpan | undefined,
    { name, kind = 'internal' }: SpanOptions,
    beganAtMs: number,
    how: End,
  ): EndedSpan {
    const endedAtMs = this.#deps.clock.monotonic();
    return {
      traceId: trace.id,
      spanId: id,
      parentSpanId: parent?.id ?? null,
      name,
      kind,
      startNs: wallNs(trace, beganAtMs),
      endNs: wallNs(trace, endedAtMs),
      ...how,
    };
  }

  #draw(bytes: number): string {
    return Buffer.from(this.#deps.random.bytes(bytes)).toString('hex');
  }
}

/** Cancelled work is not a failure. The pod worker's rule decides what counts as cancelled. */
function endOf(error: unknown, { attributes, signal = NEVER_ABORTED }: SpanOptions): End {
  // The time matters only to back-offs, which are not used here.
  if (outcomeOf(error, signal, 0).kind === 'cancelled') {
    return { attributes: { ...attributes, [CANCELLED_ATTRIBUTE]: true }, failure: null };
  }
  const type = error instanceof Error ? error.name : typeof error;
  return { attributes, failure: { type, message: messageOf(error).slice(0, MESSAGE_MAX) } };
}

/** Adds whole milliseconds and the rest separately: nanoseconds since 1970 are no safe integers. */
function wallNs({ wallMs, monotonicMs }: Trace, atMs: number): bigint {
  const wholeMs = Math.trunc(wallMs);
  const restNs = (wallMs - wholeMs + atMs - monotonicMs) * NS_PER_MS;
  return BigInt(wholeMs) * BigInt(NS_PER_MS) + BigInt(Math.round(restNs));
}
