/** How the manager begins and ends. */
import { describe, expect, test } from 'vitest';
import { podOf } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

describe('before the start', () => {
  test('statuses are kept, and nothing is written', async () => {
    const stage = new StatusStage();
    stage.create('web');
    stage.say('web', statusOf('Running'));
    await stage.clock.pass(60_000);
    expect(stage.sent).toEqual([]);
    expect(stage.clock.pending).toBe(0);
    expect(stage.manager.getPodStatus('web')?.phase).toBe('Running');
  });

  test('what was stored is written when it starts, each pod once, as it is then', async () => {
    const stage = new StatusStage();
    stage.createMany(3);
    for (let restarts = 0; restarts < 3; restarts++) {
      for (let index = 0; index < 3; index++)
        stage.say(`p${index}`, statusOf('Running', { restarts }));
    }
    stage.manager.start();
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch p0', 'patch p1', 'patch p2']);
    expect(stage.get('p2').status?.containerStatuses?.[0]?.restartCount).toBe(2);
  });

  test('what the API has already is not written again', async () => {
    const stage = new StatusStage();
    stage.create('web', { status: { phase: 'Running', startTime: '2030-01-01T00:00:00Z' } });
    stage.running.add('web');
    const pod = podOf({}, { ...stage.get('web'), metadata: { name: 'web', uid: 'web' } });
    stage.manager.setPodStatus(pod, { phase: 'Running' });
    stage.manager.start();
    await stage.clock.pass(30_000);
    expect(stage.sent).toEqual([]);
  });

  test('a last word that was said before the start is written, and the pod deleted', async () => {
    const stage = new StatusStage();
    stage.create('web');
    stage.requestDeletion('web');
    stage.manager.terminatePod(stage.get('web'));
    stage.manager.start();
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web', 'delete web']);
  });
});

describe('SM-4: without an API', () => {
  test('everything but writing works', async () => {
    const stage = new StatusStage({ api: undefined });
    stage.manager.start();
    stage.create('web');
    expect(stage.say('web', statusOf('Running'))).toBe(true);
    stage.manager.setContainerReadiness('web', 'test://any', true);
    stage.manager.terminatePod(stage.get('web'));
    await stage.clock.pass(60_000);
    expect(stage.manager.records.get('web')).toMatchObject({ version: 3, isFinished: true });
    expect(stage.clock.pending, 'and no timer runs').toBe(0);
    await stage.manager.stop();
  });
});

test('starting twice is starting once', async () => {
  const stage = new StatusStage();
  stage.manager.start();
  stage.manager.start();
  stage.create('web');
  stage.say('web', statusOf('Running'));
  await stage.settle();
  expect(stage.takeSent()).toEqual(['patch web']);
  expect(stage.clock.pending).toBe(1);
});

describe('stopping', () => {
  test('cuts every request that is under way, and waits until they are over', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.createMany(3);
    stage.fault = () => ({ latencyMs: 10_000 });
    for (let index = 0; index < 3; index++) stage.say(`p${index}`, statusOf('Running'));
    await stage.clock.pass(5000);
    expect(stage.busy).toBe(3);
    await stage.manager.stop();
    expect(stage.busy).toBe(0);
    expect(stage.sent.every(({ isCut }) => isCut)).toBe(true);
  });

  test('leaves no timer: neither of requests, nor of retries, nor of the limit, nor of the full pass', async () => {
    const stage = new StatusStage({ qps: 1, burst: 3 });
    stage.manager.start();
    stage.createMany(6);
    stage.fault = ({ name }) => (name === 'p0' ? { refuse: 500 } : { latencyMs: 60_000 });
    for (let index = 0; index < 6; index++) stage.say(`p${index}`, statusOf('Running'));
    await stage.clock.pass(500);
    expect(stage.clock.pending).toBeGreaterThan(3);
    await stage.manager.stop();
    expect(stage.clock.pending).toBe(0);
  });

  test('nothing is written afterwards, but what is said is still kept', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    stage.create('web');
    await stage.manager.stop();
    stage.say('web', statusOf('Running'));
    stage.manager.apiPodSeen({ ...stage.get('web') });
    await stage.clock.pass(60_000);
    expect(stage.sent).toEqual([]);
    expect(stage.clock.pending).toBe(0);
    expect(stage.manager.getPodStatus('web')?.phase).toBe('Running');
  });

  test('while pods wait for their turn, none has one any more', async () => {
    const stage = new StatusStage({ window: 1 });
    stage.manager.start();
    stage.createMany(10);
    stage.fault = () => ({ latencyMs: 100 });
    for (let index = 0; index < 10; index++) stage.say(`p${index}`, statusOf('Running'));
    await stage.clock.pass(150);
    await stage.manager.stop();
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch p0', 'patch p1']);
  });

  test('twice, or without a start, does no harm', async () => {
    const stage = new StatusStage();
    await stage.manager.stop();
    await stage.manager.stop();
    const other = new StatusStage();
    other.manager.start();
    await Promise.all([other.manager.stop(), other.manager.stop()]);
    expect(other.clock.pending).toBe(0);
  });

  test('ends a pass that somebody waits for', async () => {
    const stage = new StatusStage({ window: 1 });
    stage.createMany(2);
    stage.fault = () => ({ latencyMs: 60_000 });
    for (let index = 0; index < 2; index++) stage.say(`p${index}`, statusOf('Running'));
    const pass = stage.manager.syncBatch(true);
    await stage.clock.pass(10);
    await stage.manager.stop();
    await expect(pass).resolves.toBeUndefined();
  });
});
