import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { Recorder } from './recorder.ts';

function harness() {
  const registry = new Registry();
  const recorder = new Recorder(registry);
  const histogram = registry.histogram({ name: 'h', help: 'H.' });
  const gauge = registry.gauge({ name: 'g', help: 'G.' });
  const counter = registry.counter({ name: 'c_total', help: 'C.' });
  const dropped = (): number => {
    const text = prometheusText.expose(registry);
    return Number(/^podkeep_dropped_observations_total (\d+)$/m.exec(text)?.[1]);
  };
  return { registry, recorder, histogram, gauge, counter, dropped };
}

test('numbers are recorded as they are', () => {
  const { recorder, histogram, gauge, counter, dropped } = harness();
  recorder.observe(histogram, 0.5);
  recorder.set(gauge, -3);
  recorder.increase(counter, 2);
  expect([histogram.count, histogram.sum, gauge.value, counter.value]).toEqual([1, 0.5, -3, 2]);
  expect(dropped()).toBe(0);
});

test('a time below zero, as after the clock was set back, counts as zero', () => {
  const { recorder, histogram, dropped } = harness();
  recorder.observe(histogram, -12);
  expect([histogram.count, histogram.sum]).toEqual([1, 0]);
  expect(dropped()).toBe(0);
});

test('a value that is no number is dropped and counted', () => {
  const { recorder, histogram, gauge, counter, dropped } = harness();
  for (const value of [Number.NaN, Infinity, -Infinity]) {
    recorder.observe(histogram, value);
    recorder.set(gauge, value);
    recorder.increase(counter, value);
  }
  recorder.increase(counter, -1);
  expect([histogram.count, gauge.value, counter.value]).toEqual([0, 0, 0]);
  expect(dropped()).toBe(10);
});

test('nothing that is recorded throws, or shows up as NaN', () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      const { registry, recorder, histogram, gauge, counter } = harness();
      recorder.observe(histogram, value);
      recorder.set(gauge, value);
      recorder.increase(counter, value);
      expect(prometheusText.expose(registry)).not.toContain('NaN');
    }),
  );
});
