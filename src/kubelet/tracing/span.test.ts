import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineError } from '../../lib/errors.ts';
import { asyncContexts, MemoryTracer } from './memory-tracer.ts';
import type { MemorySpan } from './memory-tracer.ts';
import { attributesOf, CANCELLED_ATTRIBUTE } from './pod-spans.ts';
import { runInSpan } from './span.ts';

const diskFull = defineError<object>({
  code: 'DISK_FULL',
  retry: 'backoff',
  message: () => 'the disk is full',
  hint: () => 'Make room.',
});

/** Runs work that throws, and returns its span and the error. */
async function failWith(
  thrown: unknown,
  signal?: AbortSignal,
): Promise<{ readonly span: MemorySpan | undefined; readonly caught: unknown }> {
  const tracer = new MemoryTracer();
  const options = { name: 'work', attributes: {}, ...(signal && { signal }) };
  const caught: unknown = await runInSpan(tracer, options, () => Promise.reject(thrown)).catch(
    (error: unknown) => error,
  );
  return { span: tracer.spans[0], caught };
}

describe('work that succeeds', () => {
  test('its result is returned, and its span has no status', async () => {
    const tracer = new MemoryTracer();
    const result = { terminal: true };
    const options = { name: 'work', attributes: attributesOf({ uid: 'u' }) };
    await expect(runInSpan(tracer, options, () => Promise.resolve(result))).resolves.toBe(result);
    const [span] = tracer.spans;
    expect(span).toMatchObject({ name: 'work', ends: 1, exceptions: [], status: undefined });
    expect(span?.attributes).toEqual({ 'k8s.pod.uid': 'u' });
  });

  test('its span ends only when the work does', async () => {
    const tracer = new MemoryTracer();
    const { promise, resolve } = open();
    const running = runInSpan(tracer, { name: 'work', attributes: {} }, () => promise);
    expect(tracer.spans.map(({ ends }) => ends)).toEqual([0]);
    resolve();
    await running;
    expect(tracer.spans.map(({ ends }) => ends)).toEqual([1]);
  });

  test('a signal that was aborted too late does not make it cancelled', async () => {
    const tracer = new MemoryTracer();
    const { signal } = aborted();
    await runInSpan(tracer, { name: 'work', attributes: {}, signal }, () => Promise.resolve());
    expect(tracer.spans[0]?.attributes).toEqual({});
  });
});

describe('work that fails', () => {
  test('its error is thrown unchanged, and the span records it', async () => {
    const error = diskFull({});
    const { span, caught } = await failWith(error);
    expect(caught).toBe(error);
    expect(span?.exceptions).toEqual([error]);
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'the disk is full' });
    expect(span?.attributes).toEqual({});
    expect(span?.ends).toBe(1);
  });

  test('work that throws before it returns a promise has failed, too', async () => {
    const tracer = new MemoryTracer();
    const error = new Error('at once');
    const running = runInSpan(tracer, { name: 'work', attributes: {} }, () => {
      throw error;
    });
    await expect(running).rejects.toBe(error);
    expect(tracer.spans[0]).toMatchObject({ ends: 1, exceptions: [error] });
  });

  test('a thrown value need not be an error', async () => {
    const { span, caught } = await failWith('just words');
    expect(caught).toBe('just words');
    expect(span?.exceptions).toEqual(['just words']);
    expect(span?.status?.message).toBe('just words');
  });

  test('a failure after the signal was aborted is still a failure', async () => {
    const { span } = await failWith(diskFull({}), aborted().signal);
    expect(span?.status?.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toEqual({});
  });
});

describe('work that is cancelled', () => {
  test.each([
    ['the usual reason', undefined],
    ['a reason of its own', new Error('deleted')],
    ['a reason that is no error', 'deleted'],
  ])('is marked, and is no failure: %s', async (_case, reason) => {
    const { signal } = aborted(reason);
    const { span, caught } = await failWith(signal.reason, signal);
    expect(caught).toBe(signal.reason);
    expect(span?.attributes).toEqual({ [CANCELLED_ATTRIBUTE]: true });
    expect(span?.status).toBeUndefined();
    expect(span?.exceptions).toEqual([]);
    expect(span?.ends).toBe(1);
  });

  test('is found deep inside of the error, as in the pod worker', async () => {
    const { signal } = aborted();
    const deep = new AggregateError([new Error('mount', { cause: signal.reason })], 'sync');
    const { span } = await failWith(deep, signal);
    expect(span?.attributes).toEqual({ [CANCELLED_ATTRIBUTE]: true });
  });

  test('is recognised by its error alone if there is no signal', async () => {
    const { span } = await failWith(aborted().signal.reason);
    expect(span?.attributes).toEqual({ [CANCELLED_ATTRIBUTE]: true });
  });
});

describe('without an SDK', () => {
  const tracer = trace.getTracer('test');

  test('results and errors are unchanged', async () => {
    const [result, error] = [{}, new Error('no')];
    const options = { name: 'work', attributes: attributesOf({ uid: 'u' }) };
    await expect(runInSpan(tracer, options, () => Promise.resolve(result))).resolves.toBe(result);
    await expect(runInSpan(tracer, options, () => Promise.reject(error))).rejects.toBe(error);
    const throws = runInSpan(tracer, options, () => {
      throw error;
    });
    await expect(throws).rejects.toBe(error);
  });

  test('a span that is not sampled is still the active one, so that its trace continues', async () => {
    context.setGlobalContextManager(asyncContexts());
    onTestFinished(() => context.disable());
    const span = trace.wrapSpanContext(new MemoryTracer().startSpan('parent').spanContext());
    const unsampled: Tracer = {
      startSpan: () => span,
      startActiveSpan: () => expect.unreachable(),
    };
    const options = { name: 'work', attributes: {} };
    const active = await runInSpan(unsampled, options, async () => trace.getActiveSpan());
    expect(active).toBe(span);
  });
});

function open(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function aborted(reason?: unknown): AbortController {
  const controller = new AbortController();
  controller.abort(reason);
  return controller;
}
