import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { EndedSpan } from '../../core/tracing/otlp-json.ts';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { SpanExporter } from './span-exporter.ts';
import { SpanMetrics } from './span-metrics.ts';

type Answer = number | 'refused connection' | 'silence';

function harness(answer: Answer = 200) {
  const clock = new VirtualClock();
  const registry = new Registry();
  const world = { answer, sent: [] as string[][], warnings: 0, infos: 0 };
  const exporter = new SpanExporter({
    clock,
    random: { next: () => 0 },
    log: {
      ...silentLog,
      warn: () => void (world.warnings += 1),
      info: () => void (world.infos += 1),
    },
    url: 'http://collector.example/v1/traces',
    encode: (spans) => JSON.stringify(spans.map(({ name }) => name)),
    metrics: new SpanMetrics(registry),
    post: ({ body }, signal) => {
      world.sent.push(JSON.parse(body) as string[]);
      if (world.answer === 'refused connection') return Promise.reject(new Error('ECONNREFUSED'));
      if (world.answer !== 'silence') return Promise.resolve(world.answer);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    },
  });
  const counted = (name: string): string | undefined =>
    new RegExp(`^${name.replaceAll(/[{}]/g, String.raw`\$&`)} (.*)$`, 'm').exec(
      prometheusText.expose(registry),
    )?.[1];
  return { clock, world, exporter, counted };
}

function span(name: string): EndedSpan {
  const ids = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), parentSpanId: null };
  const times = { startNs: 0n, endNs: 0n };
  return { ...ids, ...times, name, kind: 'internal', attributes: {}, failure: null };
}

test('spans are sent together after five seconds, and counted', async () => {
  const { clock, world, exporter, counted } = harness();
  exporter.add(span('a'));
  exporter.add(span('b'));
  await clock.pass(4999);
  expect(world.sent).toEqual([]);
  await clock.pass(1);
  expect(world.sent).toEqual([['a', 'b']]);
  expect(counted('podkeep_exported_spans_total')).toBe('2');
  expect(clock.pending).toBe(0);
});

test.each(['refused connection', 503] as const)(
  'after %s the same spans are sent again, with one warning',
  async (answer) => {
    const { clock, world, exporter, counted } = harness(answer);
    exporter.add(span('a'));
    await clock.pass(5000 + 1000 + 2000);
    exporter.add(span('b'));
    expect(world.sent).toEqual([['a'], ['a'], ['a']]);
    world.answer = 200;
    await clock.pass(60_000);
    expect(world.sent.slice(3)).toEqual([['a'], ['b']]);
    expect([world.warnings, world.infos]).toEqual([1, 1]);
    expect(counted('podkeep_exported_spans_total')).toBe('2');
  },
);

test('spans that the receiver refuses are dropped and counted', async () => {
  const { clock, world, exporter, counted } = harness(400);
  exporter.add(span('a'));
  await clock.pass(60_000);
  expect(world.sent).toEqual([['a']]);
  expect(counted('podkeep_dropped_spans_total{reason="refused"}')).toBe('1');
});

test('a silent receiver holds 2,048 spans and no more', async () => {
  const { clock, exporter, counted } = harness('silence');
  for (let index = 0; index < 3000; index += 1) exporter.add(span('a'));
  await clock.pass(1000);
  expect(counted('podkeep_dropped_spans_total{reason="queue_full"}')).toBe('952');
});

test('close sends the rest', async () => {
  const { world, exporter, counted } = harness();
  for (let index = 0; index < 600; index += 1) exporter.add(span('a'));
  await exporter.close();
  expect(world.sent.map(({ length }) => length)).toEqual([512, 88]);
  expect(counted('podkeep_exported_spans_total')).toBe('600');
});

test('close waits two seconds for a silent receiver, and not at all for one that is down', async () => {
  const silent = harness('silence');
  silent.exporter.add(span('a'));
  let isClosed = false;
  const closing = silent.exporter.close().then(() => (isClosed = true));
  await silent.clock.pass(1999);
  expect(isClosed).toBe(false);
  await silent.clock.pass(1);
  await closing;
  expect(silent.counted('podkeep_dropped_spans_total{reason="stopped"}')).toBe('1');
  expect(silent.clock.pending).toBe(0);

  const down = harness('refused connection');
  down.exporter.add(span('a'));
  await down.exporter.close();
  expect(down.counted('podkeep_dropped_spans_total{reason="unavailable"}')).toBe('1');
  expect(down.clock.pending).toBe(0);
});
