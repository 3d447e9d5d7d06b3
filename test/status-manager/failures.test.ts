/** What happens to a write when the API is down, slow, busy, or has a conflict. */
import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { podOf } from '../support/pod-parts.ts';
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

const NAME = { namespace: 'default', name: 'web' };
const live = statusOf('Running');

function times(harness: StatusHarness): readonly number[] {
  return harness.sent.map(({ atMs }) => atMs);
}

describe('an API that is down', () => {
  test('is retried less and less often, by each pod for itself', async () => {
    const harness = startedHarness();
    harness.fault = () => ({ cut: 'before' });
    harness.say('web', live);
    await harness.clock.pass(44_000);
    expect(times(harness)).toEqual([0, 1000, 3000, 7000, 15_000, 25_000, 35_000]);
  });

  test('changes in the meantime are included when the API is back', async () => {
    const harness = startedHarness();
    harness.fault = () => ({ refuse: 503 });
    for (let restarts = 0; restarts < 5; restarts++) {
      harness.say('web', statusOf('Running', { restarts }));
      await harness.clock.pass(1000);
    }
    harness.fault = () => undefined;
    harness.takeSent();
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch web']);
    expect(harness.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(4);
  });

  test('delays are spread: pods that failed together do not retry together', async () => {
    const harness = new StatusHarness({ random: seededRandom(7), window: 100 });
    harness.manager.start();
    const pods = harness.createMany(100);
    harness.fault = () => ({ refuse: 500 });
    for (const { metadata } of pods) harness.say(metadata.uid ?? '', live);
    await harness.clock.pass(1600);
    const second = times(harness).filter((atMs) => atMs > 0);
    expect(second).toHaveLength(100);
    expect(Math.min(...second)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...second)).toBeLessThanOrEqual(1500);
    expect(new Set(second.map((atMs) => Math.floor(atMs / 50))).size).toBeGreaterThan(8);
  });

  test('a request whose answer is lost is sent again, which does no harm', async () => {
    const harness = startedHarness();
    harness.lag();
    harness.fault = () => ({ cut: 'after' });
    harness.say('web', live);
    await harness.settle();
    expect(harness.get('web').status?.phase).toBe('Running');
    harness.fault = () => undefined;
    await harness.clock.pass(1000);
    expect(harness.takeSent()).toEqual(['patch web', 'patch web']);
    expect(harness.get('web').status).toMatchObject(harness.manager.getPodStatus('web') ?? {});
  });

  test('a DELETE whose answer is lost is sent again, finds nothing, and is not sent a third time', async () => {
    const harness = startedHarness();
    harness.running.delete('web');
    harness.requestDeletion('web');
    harness.lag();
    harness.fault = ({ verb }) => (verb === 'delete' ? { cut: 'after' } : undefined);
    harness.manager.terminatePod(harness.get('web'));
    await harness.settle();
    harness.fault = () => undefined;
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch web', 'delete web', 'delete web']);
    harness.manager.removeOrphanedStatuses(new Set());
    expect(harness.manager.records.size).toBe(0);
  });
});

describe('an API that is busy', () => {
  test.each([429, 503])('%i: Retry-After is obeyed, to the millisecond', async (refuse) => {
    const harness = startedHarness();
    harness.fault = () => ({ refuse, retryAfterMs: 20_000 });
    harness.say('web', live);
    await harness.settle();
    harness.fault = () => undefined;
    await harness.clock.pass(19_999);
    expect(harness.sent).toHaveLength(1);
    await harness.clock.pass(1);
    expect(harness.sent).toHaveLength(2);
  });

  test('the jitter is added to it, never replaces it', async () => {
    const harness = startedHarness({ random: { next: () => 0.5 } });
    harness.fault = () => ({ refuse: 429, retryAfterMs: 10_000 });
    harness.say('web', live);
    await harness.clock.pass(12_499);
    expect(harness.sent).toHaveLength(1);
    await harness.clock.pass(1);
    expect(harness.sent).toHaveLength(2);
  });

  test('it applies to the pod that was refused, the others go on', async () => {
    const harness = startedHarness();
    harness.create('other');
    harness.fault = ({ name }) =>
      name === 'web' ? { refuse: 429, retryAfterMs: 60_000 } : undefined;
    harness.say('web', live);
    harness.say('other', live);
    await harness.clock.pass(1000);
    harness.say('other', statusOf('Running', { restarts: 1 }));
    await harness.clock.pass(1000);
    expect(harness.takeSent()).toEqual(['patch web', 'patch other', 'patch other']);
  });
});

describe('requests that hang', () => {
  test('are aborted after their timeout, and retried', async () => {
    const harness = startedHarness({ requestTimeoutMs: 5000 });
    harness.fault = () => ({ latencyMs: 1e9 });
    harness.say('web', live);
    await harness.clock.pass(4999);
    expect(harness.sent[0]).toMatchObject({ endedMs: null, isCut: false });
    await harness.clock.pass(1);
    expect(harness.sent[0]).toMatchObject({ endedMs: 5000, isCut: true });
    harness.fault = () => undefined;
    await harness.clock.pass(1000);
    expect(harness.get('web').status?.phase).toBe('Running');
  });

  test('leave no timer behind when they are answered', async () => {
    const harness = startedHarness();
    harness.fault = () => ({ latencyMs: 10 });
    harness.say('web', live);
    await harness.clock.pass(20);
    expect(harness.clock.pending, 'the next full pass').toBe(1);
  });
});

describe('conflicts (SM-74)', () => {
  test('409: the object is read once, and is the base of the next try', async () => {
    const harness = startedHarness();
    harness.lag();
    harness.api.put({
      ...harness.get('web'),
      status: { phase: 'Pending', message: 'by somebody else', podIP: '10.0.0.9' },
    });
    let conflicts = 1;
    harness.fault = ({ verb }) =>
      verb === 'patch' && conflicts-- > 0 ? { refuse: 409 } : undefined;
    harness.say('web', live);
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web', 'get web', 'patch web']);
    const { message, podIP, phase } = harness.get('web').status ?? {};
    expect({ message, podIP, phase }).toEqual({
      message: undefined,
      podIP: undefined,
      phase: 'Running',
    });
  });

  test('a conflict after that is not hurried, and begins with a read', async () => {
    const harness = startedHarness();
    harness.fault = ({ verb }) => (verb === 'patch' ? { refuse: 409 } : undefined);
    harness.say('web', live);
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web', 'get web', 'patch web']);
    await harness.clock.pass(999);
    expect(harness.takeSent()).toEqual([]);
    harness.fault = () => undefined;
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['get web', 'patch web']);
  });

  test('a DELETE that meets another pod of the name lets it live', async () => {
    const harness = startedHarness();
    harness.running.delete('web');
    harness.requestDeletion('web');
    harness.lag();
    harness.fault = ({ verb }) => (verb === 'delete' ? { latencyMs: 100 } : undefined);
    harness.manager.terminatePod(harness.get('web'));
    await harness.clock.pass(50);
    harness.api.remove(NAME);
    harness.create('web', { uid: 'web-2' });
    await harness.clock.pass(1000);
    expect(harness.takeSent()).toEqual(['patch web', 'delete web', 'get web']);
    expect(harness.get('web').metadata.uid).toBe('web-2');
    expect(harness.manager.getPodStatus('web')).toBeUndefined();
  });
});

describe('a pod that the API does not have (F-12)', () => {
  test('gets one request, however often its status changes', async () => {
    const harness = startedHarness();
    harness.requestDeletion('web');
    harness.lag();
    harness.api.remove(NAME);
    for (let turn = 0; turn < 30; turn++) {
      harness.say('web', live);
      await harness.clock.pass(2000);
    }
    expect(harness.takeSent()).toEqual(['patch web']);
  });

  test('and not even once if the watch has shown that it is gone', async () => {
    const harness = startedHarness();
    harness.api.remove(NAME);
    harness.say('web', live);
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual([]);
  });

  test('is written as soon as the watch shows it', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    const pod = podOf({}, { metadata: { name: 'web', uid: 'web' } });
    harness.pods.set(pod);
    harness.manager.setPodStatus(pod, live);
    await harness.clock.pass(30_000);
    expect(harness.takeSent()).toEqual([]);
    harness.create('web');
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch web']);
  });
});

describe('unexpected objects', () => {
  test('one that cannot be patched parks that pod, logs it, and spares the others', async () => {
    const harness = startedHarness();
    const nameless = { phase: 'Running', conditions: [{ status: 'True' }] } as unknown as PodStatus;
    harness.create('odd', { status: nameless });
    harness.say('odd', live);
    harness.say('web', live);
    await harness.clock.pass(60_000);
    expect(harness.takeSent()).toEqual(['patch web']);
    expect(harness.problems).toHaveLength(1);
    expect(harness.decisions.filter(({ to }) => to === 'parked')).toHaveLength(1);
    expect(harness.manager.getPodStatus('odd')?.phase, 'what is true is still known').toBe(
      'Running',
    );
  });

  test('one without any status gets a whole one', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    const pod = harness.api.put(podOf({}, { metadata: { uid: 'bare', name: 'bare' } }));
    harness.manager.setPodStatus(pod, live);
    await harness.settle();
    expect(harness.takeSent()).toEqual(['patch bare']);
    expect(harness.get('bare').status).toEqual(harness.manager.getPodStatus('bare'));
  });

  test('fields of the status that only a newer API knows survive, write after write', async () => {
    const harness = new StatusHarness();
    harness.manager.start();
    const future = { phase: 'Pending', mood: { good: true }, constructor: 'x' };
    harness.create('web', { status: future as unknown as PodStatus });
    for (let restarts = 0; restarts < 3; restarts++) {
      harness.say('web', statusOf('Running', { restarts }));
      await harness.clock.pass(15_000);
    }
    expect(harness.takeSent()).toEqual(['patch web', 'patch web', 'patch web']);
    expect(harness.get('web').status).toMatchObject({ mood: { good: true }, constructor: 'x' });
  });
});
