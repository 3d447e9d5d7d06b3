import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { EndedSpan } from '../../core/tracing/otlp-json.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { NodeTracer } from './node-tracer.ts';

function harness(samplingRatePerMillion = 1_000_000) {
  const clock = new VirtualClock();
  const spans: EndedSpan[] = [];
  const ended = (span: EndedSpan): void => void spans.push(span);
  const { run } = new NodeTracer({ clock, random: seededRandom(1), samplingRatePerMillion, ended });
  const named = (name: string) => ({ name, attributes: {} });
  return { clock, spans, run, named };
}

test('a span inside of another is its child, and times are nanoseconds since 1970', async () => {
  const { clock, spans, run, named } = harness();
  const startMs = clock.now();
  await run(named('syncPod'), async () => {
    await clock.pass(1.5);
    await run({ ...named('RunPodSandbox'), kind: 'client' }, () => clock.pass(2));
  });
  const [child, parent] = spans;
  expect(parent).toMatchObject({ name: 'syncPod', parentSpanId: null, kind: 'internal' });
  expect(child).toMatchObject({ name: 'RunPodSandbox', kind: 'client', failure: null });
  expect(child?.traceId).toBe(parent?.traceId);
  expect(child?.parentSpanId).toBe(parent?.spanId);
  expect(child?.spanId).not.toBe(parent?.spanId);
  expect(parent?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(parent?.spanId).toMatch(/^[0-9a-f]{16}$/);
  const startNs = BigInt(startMs) * 1_000_000n;
  expect([parent?.startNs, child?.startNs]).toEqual([startNs, startNs + 1_500_000n]);
  expect([child?.endNs, parent?.endNs]).toEqual([startNs + 3_500_000n, startNs + 3_500_000n]);
});

test('spans beside each other do not become relatives', async () => {
  const { clock, spans, run, named } = harness();
  const work = async (name: string): Promise<void> => {
    await clock.pass(1);
    await run(named(`${name}-call`), async () => {});
  };
  await Promise.all([run(named('a'), () => work('a')), run(named('b'), () => work('b'))]);
  const byName = new Map(spans.map((span) => [span.name, span]));
  expect(byName.get('a-call')?.parentSpanId).toBe(byName.get('a')?.spanId);
  expect(byName.get('b-call')?.parentSpanId).toBe(byName.get('b')?.spanId);
  expect(byName.get('a')?.traceId).not.toBe(byName.get('b')?.traceId);
});

test('a span that has ended is no parent of what its work has left behind', async () => {
  const { spans, run, named } = harness();
  const left = await run(named('syncPod'), async () => {
    const { promise, resolve } = open();
    return { later: promise.then(() => run(named('ExecSync'), async () => {})), resolve };
  });
  left.resolve();
  await left.later;
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['syncPod', null],
    ['ExecSync', null],
  ]);
});

test('a root span begins a trace inside of another', async () => {
  const { spans, run, named } = harness();
  await run(named('syncPod'), () => run({ ...named('write'), isRoot: true }, async () => {}));
  expect(spans[0]).toMatchObject({ name: 'write', parentSpanId: null });
  expect(spans[0]?.traceId).not.toBe(spans[1]?.traceId);
});

test('a trace is sampled as a whole', async () => {
  const { spans, run, named } = harness(300_000);
  for (let index = 0; index < 100; index += 1) {
    await run(named('syncPod'), () => run(named('call'), async () => {}));
  }
  const roots = spans.filter(({ name }) => name === 'syncPod');
  expect(roots.length).toBeGreaterThan(10);
  expect(roots.length).toBeLessThan(60);
  expect(new Set(roots.map(({ traceId }) => traceId))).toEqual(
    new Set(spans.filter(({ name }) => name === 'call').map(({ traceId }) => traceId)),
  );
  expect(spans).toHaveLength(2 * roots.length);
});

test('work that fails throws its own error, and its span has it', async () => {
  const { spans, run, named } = harness();
  const error = new TypeError('broken');
  await expect(run(named('call'), () => Promise.reject(error))).rejects.toBe(error);
  await expect(
    run(named('call'), () => {
      throw error;
    }),
  ).rejects.toBe(error);
  const failure = { type: 'TypeError', message: 'broken' };
  expect(spans).toMatchObject([{ failure }, { failure }]);
});

test('work that was cancelled is marked, and did not fail', async () => {
  const { spans, run, named } = harness();
  const signal = AbortSignal.abort(new Error('deleted'));
  const work = (): Promise<void> => Promise.reject(signal.reason);
  await expect(run({ ...named('syncPod'), signal }, work)).rejects.toBe(signal.reason);
  expect(spans).toMatchObject([{ failure: null, attributes: { 'podkeep.cancelled': true } }]);
});

function open(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
