import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { MemoryTracer } from './memory-tracer.ts';
import { traceStatusWrite } from './traced-status-write.ts';

const pod = { uid: 'u1', name: 'web', namespace: 'shop' };

test('a status write is a span that names its pod, and its result is returned', async () => {
  const tracer = new MemoryTracer();
  const answer = { status: 'written' };
  const written = await traceStatusWrite(tracer, pod, () => Promise.resolve(answer));
  expect(written).toBe(answer);
  expect(tracer.spans).toMatchObject([
    {
      name: 'writePodStatus',
      attributes: {
        'k8s.pod.uid': 'u1',
        'k8s.pod': 'shop/web',
        'k8s.pod.name': 'web',
        'k8s.namespace.name': 'shop',
      },
      ends: 1,
      status: undefined,
    },
  ]);
});

test('a write that the API refused is a failed span', async () => {
  const tracer = new MemoryTracer();
  const error = new Error('too many requests');
  await expect(traceStatusWrite(tracer, pod, () => Promise.reject(error))).rejects.toBe(error);
  expect(tracer.spans[0]?.exceptions).toEqual([error]);
  expect(tracer.spans[0]?.status).toEqual({
    code: SpanStatusCode.ERROR,
    message: 'too many requests',
  });
});

test('a write that was aborted is cancelled, not failed', async () => {
  const tracer = new MemoryTracer();
  const signal = AbortSignal.abort();
  const write = traceStatusWrite(tracer, pod, () => Promise.reject(signal.reason));
  await expect(write).rejects.toBe(signal.reason);
  expect(tracer.spans[0]?.status).toBeUndefined();
  expect(tracer.spans[0]?.attributes).toMatchObject({ 'podkeep.cancelled': true });
});
