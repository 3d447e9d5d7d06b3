/** What becomes of a write when the API is down, slow, busy, or of another opinion. */
import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../src/api/pod.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { podOf } from '../support/pod-parts.ts';
import { StatusStage, statusOf } from './stage.ts';

function startedStage(options: ConstructorParameters<typeof StatusStage>[0] = {}): StatusStage {
  const stage = new StatusStage(options);
  stage.manager.start();
  stage.create('web');
  stage.running.add('web');
  return stage;
}

const NAME = { namespace: 'default', name: 'web' };
const live = statusOf('Running');

function times(stage: StatusStage): readonly number[] {
  return stage.sent.map(({ atMs }) => atMs);
}

describe('an API that is down', () => {
  test('is asked less and less often, by each pod for itself', async () => {
    const stage = startedStage();
    stage.fault = () => ({ cut: 'before' });
    stage.say('web', live);
    await stage.clock.pass(44_000);
    expect(times(stage)).toEqual([0, 1000, 3000, 7000, 15_000, 25_000, 35_000]);
  });

  test('what changes meanwhile goes along, as it is when the API is back', async () => {
    const stage = startedStage();
    stage.fault = () => ({ refuse: 503 });
    for (let restarts = 0; restarts < 5; restarts++) {
      stage.say('web', statusOf('Running', { restarts }));
      await stage.clock.pass(1000);
    }
    stage.fault = () => undefined;
    stage.takeSent();
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch web']);
    expect(stage.get('web').status?.containerStatuses?.[0]?.restartCount).toBe(4);
  });

  test('delays are spread: pods that failed together do not come back together', async () => {
    const stage = new StatusStage({ random: seededRandom(7), window: 100 });
    stage.manager.start();
    const pods = stage.createMany(100);
    stage.fault = () => ({ refuse: 500 });
    for (const { metadata } of pods) stage.say(metadata.uid ?? '', live);
    await stage.clock.pass(1600);
    const second = times(stage).filter((atMs) => atMs > 0);
    expect(second).toHaveLength(100);
    expect(Math.min(...second)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...second)).toBeLessThanOrEqual(1500);
    expect(new Set(second.map((atMs) => Math.floor(atMs / 50))).size).toBeGreaterThan(8);
  });

  test('a request whose answer is lost is sent again, which does no harm', async () => {
    const stage = startedStage();
    stage.lag();
    stage.fault = () => ({ cut: 'after' });
    stage.say('web', live);
    await stage.settle();
    expect(stage.get('web').status?.phase).toBe('Running');
    stage.fault = () => undefined;
    await stage.clock.pass(1000);
    expect(stage.takeSent()).toEqual(['patch web', 'patch web']);
    expect(stage.get('web').status).toMatchObject(stage.manager.getPodStatus('web') ?? {});
  });

  test('a DELETE whose answer is lost is sent again, finds nothing, and is not sent a third time', async () => {
    const stage = startedStage();
    stage.running.delete('web');
    stage.requestDeletion('web');
    stage.lag();
    stage.fault = ({ verb }) => (verb === 'delete' ? { cut: 'after' } : undefined);
    stage.manager.terminatePod(stage.get('web'));
    await stage.settle();
    stage.fault = () => undefined;
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch web', 'delete web', 'delete web']);
    stage.manager.removeOrphanedStatuses(new Set());
    expect(stage.manager.records.size).toBe(0);
  });
});

describe('an API that is busy', () => {
  test.each([429, 503])(
    '%i: it says when to come back, and not a moment sooner',
    async (refuse) => {
      const stage = startedStage();
      stage.fault = () => ({ refuse, retryAfterMs: 20_000 });
      stage.say('web', live);
      await stage.settle();
      stage.fault = () => undefined;
      await stage.clock.pass(19_999);
      expect(stage.sent).toHaveLength(1);
      await stage.clock.pass(1);
      expect(stage.sent).toHaveLength(2);
    },
  );

  test('the jitter comes on top, never instead', async () => {
    const stage = startedStage({ random: { next: () => 0.5 } });
    stage.fault = () => ({ refuse: 429, retryAfterMs: 10_000 });
    stage.say('web', live);
    await stage.clock.pass(12_499);
    expect(stage.sent).toHaveLength(1);
    await stage.clock.pass(1);
    expect(stage.sent).toHaveLength(2);
  });

  test('it holds for the pod that was told, the others go on', async () => {
    const stage = startedStage();
    stage.create('other');
    stage.fault = ({ name }) =>
      name === 'web' ? { refuse: 429, retryAfterMs: 60_000 } : undefined;
    stage.say('web', live);
    stage.say('other', live);
    await stage.clock.pass(1000);
    stage.say('other', statusOf('Running', { restarts: 1 }));
    await stage.clock.pass(1000);
    expect(stage.takeSent()).toEqual(['patch web', 'patch other', 'patch other']);
  });
});

describe('requests that hang', () => {
  test('are cut after their time, and tried again', async () => {
    const stage = startedStage({ requestTimeoutMs: 5000 });
    stage.fault = () => ({ latencyMs: 1e9 });
    stage.say('web', live);
    await stage.clock.pass(4999);
    expect(stage.sent[0]).toMatchObject({ endedMs: null, isCut: false });
    await stage.clock.pass(1);
    expect(stage.sent[0]).toMatchObject({ endedMs: 5000, isCut: true });
    stage.fault = () => undefined;
    await stage.clock.pass(1000);
    expect(stage.get('web').status?.phase).toBe('Running');
  });

  test('leave no timer behind when they are answered', async () => {
    const stage = startedStage();
    stage.fault = () => ({ latencyMs: 10 });
    stage.say('web', live);
    await stage.clock.pass(20);
    expect(stage.clock.pending, 'the next full pass').toBe(1);
  });
});

describe('conflicts (SM-74)', () => {
  test('409: the object is read once, and what was read is the base of the next try', async () => {
    const stage = startedStage();
    stage.lag();
    stage.api.put({
      ...stage.get('web'),
      status: { phase: 'Pending', message: 'by somebody else', podIP: '10.0.0.9' },
    });
    let conflicts = 1;
    stage.fault = ({ verb }) => (verb === 'patch' && conflicts-- > 0 ? { refuse: 409 } : undefined);
    stage.say('web', live);
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web', 'get web', 'patch web']);
    const { message, podIP, phase } = stage.get('web').status ?? {};
    expect({ message, podIP, phase }).toEqual({
      message: undefined,
      podIP: undefined,
      phase: 'Running',
    });
  });

  test('a conflict after that is not hurried, and begins with a read', async () => {
    const stage = startedStage();
    stage.fault = ({ verb }) => (verb === 'patch' ? { refuse: 409 } : undefined);
    stage.say('web', live);
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web', 'get web', 'patch web']);
    await stage.clock.pass(999);
    expect(stage.takeSent()).toEqual([]);
    stage.fault = () => undefined;
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['get web', 'patch web']);
  });

  test('a DELETE that meets another pod of the name lets it live', async () => {
    const stage = startedStage();
    stage.running.delete('web');
    stage.requestDeletion('web');
    stage.lag();
    stage.fault = ({ verb }) => (verb === 'delete' ? { latencyMs: 100 } : undefined);
    stage.manager.terminatePod(stage.get('web'));
    await stage.clock.pass(50);
    stage.api.remove(NAME);
    stage.create('web', { uid: 'web-2' });
    await stage.clock.pass(1000);
    expect(stage.takeSent()).toEqual(['patch web', 'delete web', 'get web']);
    expect(stage.get('web').metadata.uid).toBe('web-2');
    expect(stage.manager.getPodStatus('web')).toBeUndefined();
  });
});

describe('a pod that the API does not have (F-12)', () => {
  test('is asked for once, however much is said of it', async () => {
    const stage = startedStage();
    stage.requestDeletion('web');
    stage.lag();
    stage.api.remove(NAME);
    for (let turn = 0; turn < 30; turn++) {
      stage.say('web', live);
      await stage.clock.pass(2000);
    }
    expect(stage.takeSent()).toEqual(['patch web']);
  });

  test('and not even once if the watch has said so', async () => {
    const stage = startedStage();
    stage.api.remove(NAME);
    stage.say('web', live);
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual([]);
  });

  test('is written as soon as the watch shows it', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    const pod = podOf({}, { metadata: { name: 'web', uid: 'web' } });
    stage.pods.set(pod);
    stage.manager.setPodStatus(pod, live);
    await stage.clock.pass(30_000);
    expect(stage.takeSent()).toEqual([]);
    stage.create('web');
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch web']);
  });
});

describe('objects that nobody expected', () => {
  test('one that cannot be patched parks that pod, says so, and spares the others', async () => {
    const stage = startedStage();
    const nameless = { phase: 'Running', conditions: [{ status: 'True' }] } as unknown as PodStatus;
    stage.create('odd', { status: nameless });
    stage.say('odd', live);
    stage.say('web', live);
    await stage.clock.pass(60_000);
    expect(stage.takeSent()).toEqual(['patch web']);
    expect(stage.complaints).toHaveLength(1);
    expect(stage.decisions.filter(({ to }) => to === 'parked')).toHaveLength(1);
    expect(stage.manager.getPodStatus('odd')?.phase, 'what is true is still known').toBe('Running');
  });

  test('one without any status gets a whole one', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    const pod = stage.api.put(podOf({}, { metadata: { uid: 'bare', name: 'bare' } }));
    stage.manager.setPodStatus(pod, live);
    await stage.settle();
    expect(stage.takeSent()).toEqual(['patch bare']);
    expect(stage.get('bare').status).toEqual(stage.manager.getPodStatus('bare'));
  });

  test('fields of the status that only a newer API knows survive, write after write', async () => {
    const stage = new StatusStage();
    stage.manager.start();
    const future = { phase: 'Pending', mood: { good: true }, constructor: 'x' };
    stage.create('web', { status: future as unknown as PodStatus });
    for (let restarts = 0; restarts < 3; restarts++) {
      stage.say('web', statusOf('Running', { restarts }));
      await stage.clock.pass(15_000);
    }
    expect(stage.takeSent()).toEqual(['patch web', 'patch web', 'patch web']);
    expect(stage.get('web').status).toMatchObject({ mood: { good: true }, constructor: 'x' });
  });
});
