/** How the manager starts and stops. */
import { describe, expect, test } from 'vitest';
import { podOf } from '../support/pod-parts.ts';
import { StatusHarness, statusOf } from './status-harness.ts';

describe('before the start', () => {
  test('statuses are stored, and nothing is written', async () => {
    const harness = new StatusHarness();
    harness.create('web');
    harness.say('web', statusOf('Running'));
    await harness.clock.pass(60_000);
    expect(harness.sent).toEqual([]);
    expect(harness.clock.pending).toBe(0);
    expect(harness.manager.getPodStatus('web')?.phase).toBe('Running');
  });

  test('what was stored is written when it starts, each pod once, as it is then', async () => {
    const harness = new StatusHarness();
    harness.createMany(3);
    for (let restarts = 0; restarts < 3; restarts++) {
      for (let index = 0; index < 3; index++)
        harness.say(`p${index}`, statusOf('Running', { restarts }));
    }
    harness.manager.start();
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch p0', 'patch p1', 'patch p2']);
    expect(harness.get('p2').status?.containerStatuses?.[0]?.restartCount).toBe(2);
  });

  test('what the API has already is not written again', async () => {
    const harness = new StatusHarness();
    harness.create('web', { status: { phase: 'Running', startTime: '2030-01-01T00:00:00Z' } });
    harness.running.add('web');
    const pod = podOf({}, { ...harness.get('web'), metadata: { name: 'web', uid: 'web' } });
    harness.manager.setPodStatus(pod, { phase: 'Running' });
    harness.manager.start();
    await harness.clock.pass(30_000);
    expect(harness.sent).toEqual([]);
  });

  test('a final status from before the start is written, and the pod deleted', async () => {
    const harness = new StatusHarness();
    harness.create('web');
    harness.requestDeletion('web');
    harness.manager.terminatePod(harness.get('web'));
    harness.manager.start();
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web', 'delete web']);
  });
});

describe('SM-4: without an API', () => {
  test('everything but writing works', async () => {
    const harness = new StatusHarness({ api: undefined });
    harness.manager.start();
    harness.create('web');
    expect(harness.say('web', statusOf('Running'))).toBe(true);
    harness.manager.setContainerReadiness('web', 'test://any', true);
    harness.manager.terminatePod(harness.get('web'));
    await harness.clock.pass(60_000);
    expect(harness.manager.records.get('web')).toMatchObject({ version: 3, isFinished: true });
    expect(harness.clock.pending, 'and no timer runs').toBe(0);
    await harness.manager.stop();
  });
});

test('starting twice is starting once', async () => {
  const harness = new StatusHarness();
  harness.manager.start();
  harness.manager.start();
  harness.create('web');
  harness.say('web', statusOf('Running'));
  await harness.settle();
  expect(harness.takeSent()).toEqual(['patch web']);
  expect(harness.clock.pending).toBe(1);
});

describe('stopping', () => {
  test('aborts every request that is under way, and waits until they have ended', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.createMany(3);
    harness.fault = () => ({ latencyMs: 10_000 });
    for (let index = 0; index < 3; index++) harness.say(`p${index}`, statusOf('Running'));
    await harness.clock.pass(5000);
    expect(harness.busy).toBe(3);
    await harness.manager.stop();
    expect(harness.busy).toBe(0);
    expect(harness.sent.every(({ isCut }) => isCut)).toBe(true);
  });

  test('leaves no timer: neither of requests, nor of retries, nor of the limit, nor of the full pass', async () => {
    const harness = new StatusHarness({ qps: 1, burst: 3 });
    harness.manager.start();
    harness.createMany(6);
    harness.fault = ({ name }) => (name === 'p0' ? { refuse: 500 } : { latencyMs: 60_000 });
    for (let index = 0; index < 6; index++) harness.say(`p${index}`, statusOf('Running'));
    await harness.clock.pass(500);
    expect(harness.clock.pending).toBeGreaterThan(3);
    await harness.manager.stop();
    expect(harness.clock.pending).toBe(0);
  });

  test('nothing is written afterwards, but statuses are still stored', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    harness.create('web');
    await harness.manager.stop();
    harness.say('web', statusOf('Running'));
    harness.manager.apiPodSeen({ ...harness.get('web') });
    await harness.clock.pass(60_000);
    expect(harness.sent).toEqual([]);
    expect(harness.clock.pending).toBe(0);
    expect(harness.manager.getPodStatus('web')?.phase).toBe('Running');
  });

  test('while pods wait for their turn: none gets one any more', async () => {
    const harness = new StatusHarness({ window: 1 });
    harness.manager.start();
    harness.createMany(10);
    harness.fault = () => ({ latencyMs: 100 });
    for (let index = 0; index < 10; index++) harness.say(`p${index}`, statusOf('Running'));
    await harness.clock.pass(150);
    await harness.manager.stop();
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch p0', 'patch p1']);
  });

  test('twice, or without a start, does no harm', async () => {
    const harness = new StatusHarness();
    await harness.manager.stop();
    await harness.manager.stop();
    const other = new StatusHarness();
    other.manager.start();
    await Promise.all([other.manager.stop(), other.manager.stop()]);
    expect(other.clock.pending).toBe(0);
  });

  test('ends a pass that a caller waits for', async () => {
    const harness = new StatusHarness({ window: 1 });
    harness.createMany(2);
    harness.fault = () => ({ latencyMs: 60_000 });
    for (let index = 0; index < 2; index++) harness.say(`p${index}`, statusOf('Running'));
    const pass = harness.manager.syncBatch(true);
    await harness.clock.pass(10);
    await harness.manager.stop();
    await expect(pass).resolves.toBeUndefined();
  });
});
