/**
 * The latency of a status write: from the first change that the API does not have until it has it
 * (SM-78). The kubelet never resets the start of that time, so that its figure grows with the age of the
 * pod.
 */
import { describe, expect, test } from 'vitest';
import { StatusHarness, statusOf } from './status-harness.ts';

function startedHarness(
  options: ConstructorParameters<typeof StatusHarness>[0] = {},
): StatusHarness {
  const harness = new StatusHarness(options);
  harness.manager.start();
  harness.create('web');
  harness.running.add('web');
  return harness;
}

const say = (harness: StatusHarness, restarts: number): void => {
  harness.say('web', statusOf('Running', { restarts }));
};

test('a write takes as long as its request', async () => {
  const harness = startedHarness();
  harness.fault = () => ({ latencyMs: 40 });
  say(harness, 0);
  await harness.clock.pass(1000);
  expect(harness.written).toEqual([0.04]);
});

test('it is reset after each acknowledgement', async () => {
  const harness = startedHarness();
  harness.fault = () => ({ latencyMs: 40 });
  for (let restarts = 0; restarts < 4; restarts++) {
    say(harness, restarts);
    await harness.clock.pass(3_600_000);
  }
  expect(harness.written).toEqual([0.04, 0.04, 0.04, 0.04]);
});

test('it begins with the first unwritten change, though the last is what is sent', async () => {
  const harness = startedHarness({ qps: 1, burst: 1 });
  harness.create('other');
  harness.say('other', statusOf('Running'));
  for (let restarts = 0; restarts < 10; restarts++) {
    say(harness, restarts);
    await harness.clock.pass(100);
  }
  await harness.clock.pass(1000);
  expect(harness.written).toEqual([0, 1]);
});

test('a change during a write is measured from when it was made', async () => {
  const harness = startedHarness();
  harness.fault = () => ({ latencyMs: 100 });
  say(harness, 0);
  await harness.clock.pass(30);
  say(harness, 1);
  await harness.clock.pass(20);
  say(harness, 2);
  await harness.clock.pass(1000);
  expect(harness.written).toEqual([0.1, 0.17]);
});

describe('failures', () => {
  test('are all included', async () => {
    const harness = startedHarness();
    let failures = 3;
    harness.fault = () => (failures-- > 0 ? { refuse: 500 } : undefined);
    say(harness, 0);
    await harness.clock.pass(60_000);
    expect(harness.written).toEqual([7]);
  });

  test('changes between them do not shorten the duration', async () => {
    const harness = startedHarness();
    let failures = 2;
    harness.fault = () => (failures-- > 0 ? { cut: 'before' } : undefined);
    for (let restarts = 0; restarts < 10; restarts++) {
      say(harness, restarts);
      await harness.clock.pass(250);
    }
    await harness.clock.pass(60_000);
    expect(harness.written).toEqual([3]);
  });

  test('a conflict and the read after it are included', async () => {
    const harness = startedHarness();
    let conflicts = 1;
    harness.fault = ({ verb }) => ({
      latencyMs: 10,
      ...(verb === 'patch' && conflicts-- > 0 && { refuse: 409 }),
    });
    say(harness, 0);
    await harness.clock.pass(1000);
    expect(harness.written).toEqual([0.03]);
  });

  test('the time that a request hung is included', async () => {
    const harness = startedHarness({ requestTimeoutMs: 5000 });
    harness.fault = () => ({ latencyMs: 1e9 });
    say(harness, 0);
    await harness.clock.pass(5000);
    harness.fault = () => undefined;
    await harness.clock.pass(60_000);
    expect(harness.written).toEqual([6]);
  });
});

test('a status that the API has already is acknowledged without a request (SM-78)', async () => {
  const harness = startedHarness();
  say(harness, 0);
  await harness.settle();
  harness.requestDeletion('web');
  await harness.settle();
  harness.takeSent();
  say(harness, 0);
  await harness.settle();
  expect(harness.takeSent()).toEqual([]);
  expect(harness.written).toEqual([0, 0]);
});

test('a final status is measured once, not again with the deletion that follows', async () => {
  const harness = startedHarness();
  harness.running.clear();
  harness.requestDeletion('web');
  harness.fault = () => ({ latencyMs: 10 });
  harness.manager.terminatePod(harness.get('web'));
  await harness.clock.pass(1000);
  expect(harness.api.pods()).toEqual([]);
  expect(harness.written).toEqual([0.01]);
});

test('an overwritten status is not our change: nothing is measured', async () => {
  const harness = startedHarness();
  say(harness, 0);
  await harness.settle();
  harness.api.put({ ...harness.get('web'), status: { phase: 'Pending' } });
  await harness.clock.pass(1000);
  expect(harness.get('web').status?.phase).toBe('Running');
  expect(harness.written).toEqual([0]);
});
