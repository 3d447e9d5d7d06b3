import { expect, test } from 'vitest';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { EventHarness } from '../../../test/support/event-harness.ts';

const PODS = 5000;

function podOf(index: number) {
  return { uid: `u-${index}`, name: `pod-${index}`, namespace: 'default' };
}

function written(harness: EventHarness) {
  return harness.requests.map(({ body }) => {
    const { type, reason, message, count, involvedObject } = JSON.parse(JSON.stringify(body));
    return { type, reason, message, count, name: involvedObject?.name };
  });
}

test('5,000 pods start at once: every Warning arrives, and dropped Normal events are reported', async () => {
  const registry = new Registry();
  const harness = new EventHarness({ qps: 50, burst: 100, metrics: registry });
  for (let index = 0; index < PODS; index++) {
    for (const reason of ['Pulled', 'Created', 'Started'])
      harness.record('x', podOf(index), reason);
    harness.recorder.record(podOf(index), 'Warning', 'FailedMount', `volume of ${index}`);
  }
  await harness.clock.pass(600_000);
  const events = written(harness);
  const mounts = events.filter(({ reason }) => reason === 'FailedMount');
  expect(new Set(mounts.map(({ name }) => name)).size).toBe(PODS);
  const normals = events.filter(({ type }) => type === 'Normal');
  expect(normals).toHaveLength(1000);
  const reports = events.filter(({ reason }) => reason === 'EventsDropped');
  expect(reports).toMatchObject([
    { type: 'Warning', name: 'node1', message: expect.stringContaining('Dropped 14000 events') },
  ]);
  const text = prometheusText.expose(registry);
  expect(text).toContain('podkeep_dropped_events_total{type="Normal"} 14000');
  expect(text).toContain('podkeep_dropped_events_total{type="Warning"} 0');
});

test('a Warning takes the place of a Normal event when the queue is full', async () => {
  const registry = new Registry();
  const harness = new EventHarness({ metrics: registry });
  for (let index = 0; index < 1000; index++) harness.record('x', podOf(index));
  for (let index = 0; index < 20_001; index++) {
    harness.recorder.record(podOf(index), 'Warning', 'Failed', 'y');
  }
  const text = prometheusText.expose(registry);
  expect(text).toContain('podkeep_dropped_events_total{type="Normal"} 1000');
  expect(text).toContain('podkeep_dropped_events_total{type="Warning"} 1');
  await harness.clock.pass(0);
  expect(written(harness).filter(({ reason }) => reason === 'Failed')).toHaveLength(20_000);
});

test('while many wait, equal Normal events are counted in one', async () => {
  const harness = new EventHarness();
  for (let index = 0; index < 600; index++) harness.record('x', podOf(index));
  for (let index = 0; index < 9; index++) harness.record('x', podOf(7));
  await harness.clock.pass(0);
  const own = written(harness).filter(({ name, count }) => name === 'pod-7' || count > 1);
  expect(own).toMatchObject([{ count: 10 }]);
});
