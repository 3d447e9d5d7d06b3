/**
 * How long people wait for a status: from the first change that the API does not have until it has
 * it (SM-78). The kubelet never resets the start of that time, so that its figure grows with the age
 * of the pod.
 */
import { describe, expect, test } from 'vitest';
import { StatusStage, statusOf } from './stage.ts';

function startedStage(options: ConstructorParameters<typeof StatusStage>[0] = {}): StatusStage {
  const stage = new StatusStage(options);
  stage.manager.start();
  stage.create('web');
  stage.running.add('web');
  return stage;
}

const say = (stage: StatusStage, restarts: number): void => {
  stage.say('web', statusOf('Running', { restarts }));
};

test('a write takes as long as its request', async () => {
  const stage = startedStage();
  stage.fault = () => ({ latencyMs: 40 });
  say(stage, 0);
  await stage.clock.pass(1000);
  expect(stage.written).toEqual([0.04]);
});

test('it is reset after each acknowledgement', async () => {
  const stage = startedStage();
  stage.fault = () => ({ latencyMs: 40 });
  for (let restarts = 0; restarts < 4; restarts++) {
    say(stage, restarts);
    await stage.clock.pass(3_600_000);
  }
  expect(stage.written).toEqual([0.04, 0.04, 0.04, 0.04]);
});

test('it begins with the first unwritten change, though the last is what is sent', async () => {
  const stage = startedStage({ qps: 1, burst: 1 });
  stage.create('other');
  stage.say('other', statusOf('Running'));
  for (let restarts = 0; restarts < 10; restarts++) {
    say(stage, restarts);
    await stage.clock.pass(100);
  }
  await stage.clock.pass(1000);
  expect(stage.written).toEqual([0, 1]);
});

test('a change during a write is measured from when it was made', async () => {
  const stage = startedStage();
  stage.fault = () => ({ latencyMs: 100 });
  say(stage, 0);
  await stage.clock.pass(30);
  say(stage, 1);
  await stage.clock.pass(20);
  say(stage, 2);
  await stage.clock.pass(1000);
  expect(stage.written).toEqual([0.1, 0.17]);
});

describe('failures', () => {
  test('count in, all of them', async () => {
    const stage = startedStage();
    let failures = 3;
    stage.fault = () => (failures-- > 0 ? { refuse: 500 } : undefined);
    say(stage, 0);
    await stage.clock.pass(60_000);
    expect(stage.written).toEqual([7]);
  });

  test('what changes between them does not shorten the wait', async () => {
    const stage = startedStage();
    let failures = 2;
    stage.fault = () => (failures-- > 0 ? { cut: 'before' } : undefined);
    for (let restarts = 0; restarts < 10; restarts++) {
      say(stage, restarts);
      await stage.clock.pass(250);
    }
    await stage.clock.pass(60_000);
    expect(stage.written).toEqual([3]);
  });

  test('a conflict and the read after it count in', async () => {
    const stage = startedStage();
    let conflicts = 1;
    stage.fault = ({ verb }) => ({
      latencyMs: 10,
      ...(verb === 'patch' && conflicts-- > 0 && { refuse: 409 }),
    });
    say(stage, 0);
    await stage.clock.pass(1000);
    expect(stage.written).toEqual([0.03]);
  });

  test('the time that a request hung counts in', async () => {
    const stage = startedStage({ requestTimeoutMs: 5000 });
    stage.fault = () => ({ latencyMs: 1e9 });
    say(stage, 0);
    await stage.clock.pass(5000);
    stage.fault = () => undefined;
    await stage.clock.pass(60_000);
    expect(stage.written).toEqual([6]);
  });
});

test('what the API has already is acknowledged without a request (SM-78)', async () => {
  const stage = startedStage();
  say(stage, 0);
  await stage.settle();
  stage.requestDeletion('web');
  await stage.settle();
  stage.takeSent();
  say(stage, 0);
  await stage.settle();
  expect(stage.takeSent()).toEqual([]);
  expect(stage.written).toEqual([0, 0]);
});

test('a last word is measured once, not again with the deletion that follows', async () => {
  const stage = startedStage();
  stage.running.clear();
  stage.requestDeletion('web');
  stage.fault = () => ({ latencyMs: 10 });
  stage.manager.terminatePod(stage.get('web'));
  await stage.clock.pass(1000);
  expect(stage.api.pods()).toEqual([]);
  expect(stage.written).toEqual([0.01]);
});

test('a pod that is written over is not a change of ours: nothing is measured', async () => {
  const stage = startedStage();
  say(stage, 0);
  await stage.settle();
  stage.api.put({ ...stage.get('web'), status: { phase: 'Pending' } });
  await stage.clock.pass(1000);
  expect(stage.get('web').status?.phase).toBe('Running');
  expect(stage.written).toEqual([0]);
});
