/** Stores OpenTelemetry spans in memory, so that tests of tracing need no SDK. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type {
  Attributes,
  AttributeValue,
  Context,
  ContextManager,
  Exception,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  Tracer,
} from '@opentelemetry/api';
import { InvariantError } from '../../lib/assert.ts';

/** All spans have this valid context: an invalid one would mean that there is no trace. */
const SPAN_CONTEXT: SpanContext = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  traceFlags: TraceFlags.SAMPLED,
};

export class MemorySpan implements Span {
  readonly name: string;
  readonly parent: Span | undefined;
  readonly attributes: Attributes;
  readonly exceptions: Exception[] = [];
  status: SpanStatus | undefined;
  ends = 0;

  constructor(name: string, attributes: Attributes, parent: Span | undefined) {
    this.name = name;
    this.attributes = { ...attributes };
    this.parent = parent;
  }

  spanContext(): SpanContext {
    return SPAN_CONTEXT;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }

  updateName(): this {
    return this;
  }

  end(): void {
    this.ends += 1;
  }

  isRecording(): boolean {
    return this.ends === 0;
  }

  recordException(exception: Exception): void {
    this.exceptions.push(exception);
  }
}

export class MemoryTracer implements Tracer {
  readonly spans: MemorySpan[] = [];

  startSpan(name: string, options: SpanOptions = {}, parents = context.active()): MemorySpan {
    const span = new MemorySpan(name, options.attributes ?? {}, trace.getSpan(parents));
    this.spans.push(span);
    return span;
  }

  startActiveSpan(): never {
    throw new InvariantError('this tracer only starts spans; the caller makes a span active');
  }
}

/** A context manager that keeps the active span over every `await`, as an SDK does. */
export function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.call(self, ...args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
