import { describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { InvariantError } from '../../lib/assert.ts';
import {
  condition,
  container,
  NOW,
  podOf,
  restartRule,
  running,
  sidecar,
  terminated,
  waiting,
} from '../../../test/support/pod-parts.ts';
import {
  assign,
  ID,
  NOW_MS,
  PERIOD_MS,
  probed,
  RUNNING,
  STARTING,
  statusOf,
  woke,
} from '../../../test/support/probe-worker-parts.ts';
import { decide, firstDelayMs, initial } from './probe-worker.ts';
import type { Assignment, Decision, Event, Outcome, ProbeKind } from './probe-worker.ts';

/** Plays events in a row, all at the same time. */
function play(assignment: Assignment, ...events: readonly Event[]): Decision {
  let decision: Decision = { state: initial, effects: [] };
  for (const event of events) decision = decide(assignment, decision.state, event, 0);
  return decision;
}

/** Effects as text, without the timer. */
function notified({ effects }: Decision): readonly string[] {
  return effects
    .filter(({ type }) => type !== 'wakeAfter')
    .map((effect) => {
      if (effect.type === 'setResult') return `set ${effect.result}`;
      if (effect.type === 'removeResult') return `remove ${effect.containerID}`;
      return effect.type;
    });
}

describe('a look (KL-73)', () => {
  const cases: readonly (readonly [
    string,
    Partial<Assignment>,
    PodStatus | undefined,
    string[],
  ])[] = [
    ['no status', {}, undefined, []],
    ['a pod that is over', {}, statusOf(RUNNING, { phase: 'Succeeded' }), ['end']],
    ['a pod without the container', {}, statusOf(running('other', { containerID: ID })), []],
    ['a container without an ID', {}, statusOf(waiting('c')), []],
    ['one that runs', {}, statusOf(RUNNING), ['set failure', 'probe']],
    [
      'one that waits',
      {},
      statusOf(waiting('c', { containerID: ID })),
      ['set failure', 'set failure'],
    ],
    ['one that has not started', {}, statusOf(STARTING), ['set failure']],
    ['one that does not say so', {}, statusOf(running('c', { containerID: ID })), ['set failure']],
    [
      'startup of one that starts',
      { kind: 'startup' },
      statusOf(STARTING),
      ['set unknown', 'probe'],
    ],
    ['startup of one that has', { kind: 'startup' }, statusOf(RUNNING), ['set unknown']],
    ['liveness', { kind: 'liveness' }, statusOf(RUNNING), ['set success', 'probe']],
    [
      'the last second of the delay',
      { initialDelaySeconds: 246 },
      statusOf(RUNNING),
      ['set failure'],
    ],
    [
      'the end of the delay',
      { initialDelaySeconds: 245 },
      statusOf(RUNNING),
      ['set failure', 'probe'],
    ],
  ];

  test.each(cases)('at %s', (_case, fields, status, expected) => {
    expect(
      notified(play(assign({ since: '2026-01-02T02:00:00Z', ...fields }), woke(status))),
    ).toEqual(expected);
  });

  test('the container of the status is probed, with that status', () => {
    const status = statusOf(RUNNING);
    const { effects } = play(assign(), woke(status));
    expect(effects.at(-1)).toEqual({ type: 'probe', containerID: ID, status });
  });

  test('a sidecar is found among the init containers', () => {
    const side = sidecar('side');
    const pod = podOf({ initContainers: [side] });
    const shown = running('side', { containerID: ID, started: true });
    const status: PodStatus = { phase: 'Pending', initContainerStatuses: [shown] };
    expect(notified(play(assign({ pod, container: side }), woke(status)))).toEqual([
      'set failure',
      'probe',
    ]);
  });

  test.each<[ProbeKind, string[]]>([
    ['liveness', ['set success', 'set success', `remove ${ID}`, 'end']],
    ['startup', ['set unknown', 'set success', `remove ${ID}`, 'end']],
    ['readiness', ['set failure', 'probe']],
  ])('a pod that was being deleted when it began is not probed any more: %s', (kind, expected) => {
    const pod = podOf({}, { metadata: { deletionTimestamp: NOW } });
    const shown = kind === 'startup' ? STARTING : RUNNING;
    expect(notified(play(assign({ kind, pod }), woke(statusOf(shown))))).toEqual(expected);
  });
});

describe('a container that has ended', () => {
  const ENDED = statusOf(terminated('c', 1, { containerID: ID }));
  const others = [container('c'), container('d', { restartPolicy: 'Never' })];
  const allRule = { restartPolicyRules: [restartRule('RestartAllContainers', 'In', 7)] };

  test.each<[string, Pod, PodStatus, boolean]>([
    ['Always', podOf({ restartPolicy: 'Always' }), ENDED, false],
    ['OnFailure, and it failed', podOf({ restartPolicy: 'OnFailure' }), ENDED, false],
    [
      'OnFailure, and it did not',
      podOf({ restartPolicy: 'OnFailure' }),
      statusOf(terminated('c', 0, { containerID: ID })),
      true,
    ],
    ['Never', podOf({ restartPolicy: 'Never' }), ENDED, true],
    [
      'Never, but all containers restart (E-7)',
      podOf({ restartPolicy: 'Never' }),
      { ...ENDED, conditions: [condition('AllContainersRestarting')] },
      false,
    ],
    [
      'Never, but another one asked for a restart of all',
      podOf({ restartPolicy: 'Never', containers: [...others, container('e', allRule)] }),
      {
        phase: 'Running',
        containerStatuses: [...(ENDED.containerStatuses ?? []), terminated('e', 7)],
      },
      false,
    ],
  ])('%s', (_case, pod, status, isOver) => {
    const decision = play(assign({ pod }), woke(status));
    expect(notified(decision)).toContain('set failure');
    expect(decision.state.phase).toBe(isOver ? 'ended' : 'resting');
  });
});

describe('after a restart of podkeep (KL-79)', () => {
  const startedAt = (time: string, fields: Partial<ContainerStatus> = {}): PodStatus =>
    statusOf({ ...RUNNING, ...fields, state: { running: { startedAt: time } } });

  test('a container that started 11 s before podkeep keeps its readiness until it is probed', () => {
    const decision = play(assign({ since: NOW }), woke(startedAt('2026-01-02T03:03:54Z')));
    expect(notified(decision)).toEqual(['probe']);
  });

  test('one that started 10 s before does not', () => {
    const decision = play(assign({ since: NOW }), woke(startedAt('2026-01-02T03:03:55Z')));
    expect(notified(decision)).toEqual(['set failure', 'probe']);
  });

  test.each([
    [true, ['set success']],
    [false, ['probe']],
  ])('a sidecar that had started (%s) counts as started', (started, expected) => {
    const side = sidecar('side');
    const pod = podOf({ initContainers: [side] });
    const shown = running('side', { containerID: ID, started });
    const status: PodStatus = { phase: 'Running', initContainerStatuses: [shown] };
    const assignment = assign({ kind: 'startup', pod, container: side, since: NOW });
    expect(notified(play(assignment, woke(status)))).toEqual(expected);
  });
});

test('only for a sidecar `started` is reported: a regular container keeps it in its status', () => {
  const own = container('c', { restartPolicy: 'Always' });
  const pod = podOf({ containers: [own] });
  const assignment = assign({ kind: 'startup', pod, since: NOW });
  expect(notified(play(assignment, woke(statusOf(RUNNING))))).toEqual([]);
});

describe('outcomes', () => {
  const asked = woke(statusOf(RUNNING));

  test('an error is ignored (KL-74)', () => {
    const assignment = assign({ failureThreshold: 2 });
    const answers = [probed('failure'), asked, probed('errored'), asked, probed('failure')];
    expect(notified(play(assignment, asked, ...answers))).toEqual(['set failure']);
  });

  test('a liveness probe that failed pauses until there is a new container (KL-76)', () => {
    const assignment = assign({ kind: 'liveness', failureThreshold: 1 });
    const failed = play(assignment, asked, probed('failure'));
    expect(notified(failed)).toEqual(['set failure']);
    expect(notified(decide(assignment, failed.state, asked, 0))).toEqual([]);
    const next = statusOf({ ...RUNNING, containerID: 'sim://2' });
    expect(notified(decide(assignment, failed.state, woke(next), 0))).toEqual([
      `remove ${ID}`,
      'set success',
      'probe',
    ]);
  });

  test.each<Outcome>(['success', 'failure'])('a startup probe asks no more after %s', (outcome) => {
    const assignment = assign({ kind: 'startup', failureThreshold: 1 });
    const starting = woke(statusOf(STARTING));
    const decision = play(assignment, starting, probed(outcome, statusOf(STARTING)), starting);
    expect(notified(decision)).toEqual([]);
    expect(decision.state.isOnHold).toBe(true);
  });

  test('two failures before a crash and one after it are not three (KL-75)', () => {
    const assignment = assign({ kind: 'liveness' });
    const next = statusOf({ ...RUNNING, containerID: 'sim://2' });
    const twice = [asked, probed('failure'), asked, probed('failure')];
    expect(notified(play(assignment, ...twice, woke(next), probed('failure', next)))).toEqual([]);
  });

  test('the outcome of a container that was replaced meanwhile is ignored', () => {
    const assignment = assign({ kind: 'liveness', failureThreshold: 1 });
    const next = statusOf({ ...RUNNING, containerID: 'sim://2' });
    expect(notified(play(assignment, asked, probed('failure', next)))).toEqual([]);
    expect(notified(play(assignment, asked, probed('failure', { phase: 'Running' })))).toEqual([]);
  });

  test('an outcome without a probe under way is a bug', () => {
    expect(() => play(assign(), probed('success'))).toThrow(InvariantError);
  });

  test('after it was stopped, every event is ignored', () => {
    const stopped = play(assign(), asked, { type: 'stopped' });
    expect(notified(stopped)).toEqual([`remove ${ID}`, 'end']);
    expect(decide(assign(), stopped.state, probed('success'), 0).effects).toEqual([]);
    expect(notified(play(assign(), { type: 'stopped' }))).toEqual(['end']);
  });
});

describe('time', () => {
  function delayOf({ effects }: Decision): number | undefined {
    return effects.find((effect) => effect.type === 'wakeAfter')?.delayMs;
  }

  const waitingView = { status: undefined, nowMs: NOW_MS };

  test('a worker looks once in each period, on a grid', () => {
    const began = decide(assign(), initial, { type: 'began', delayMs: 3000 }, 500);
    expect(delayOf(began)).toBe(3000);
    const first = decide(assign(), began.state, woke(undefined), 3507);
    expect(delayOf(first)).toBe(9993);
    expect(delayOf(decide(assign(), first.state, woke(undefined), 13_500))).toBe(PERIOD_MS);
  });

  test('a timer that fires a little early does not make two looks', () => {
    const began = decide(assign(), initial, { type: 'began', delayMs: 1000 }, 0);
    expect(delayOf(decide(assign(), began.state, woke(undefined), 999.6))).toBeCloseTo(10_000.4);
  });

  test('looks that a long probe missed are made up for by one', () => {
    const asked = decide(assign(), initial, woke(statusOf(RUNNING)), 0);
    expect(asked.state.phase).toBe('probing');
    const answered = decide(assign(), asked.state, probed('success'), 35_000);
    expect(delayOf(answered)).toBe(0);
    const late = decide(assign(), answered.state, woke(undefined), 35_000);
    expect(delayOf(late)).toBe(5000);
  });

  test('a trigger looks immediately and moves the grid (KL-80)', () => {
    const rested = decide(assign(), initial, woke(undefined), 0);
    const triggered = decide(
      assign(),
      rested.state,
      { type: 'triggered', view: waitingView },
      4000,
    );
    expect(delayOf(triggered)).toBe(PERIOD_MS);
  });

  test('a trigger during a probe makes a look due at its end', () => {
    const asked = decide(assign(), initial, woke(statusOf(RUNNING)), 0);
    const view = { status: statusOf(RUNNING), nowMs: NOW_MS };
    const triggered = decide(assign(), asked.state, { type: 'triggered', view }, 400);
    expect(triggered.effects).toEqual([]);
    expect(delayOf(decide(assign(), triggered.state, probed('failure'), 500))).toBe(0);
  });

  test('a trigger does not affect a worker that waits for its first look', () => {
    const began = decide(assign(), initial, { type: 'began', delayMs: 3000 }, 0);
    const view = { status: statusOf(RUNNING), nowMs: NOW_MS };
    expect(decide(assign(), began.state, { type: 'triggered', view }, 1)).toEqual({
      state: began.state,
      effects: [],
    });
  });

  test('the first look is spread over a period, if podkeep started less than one ago (KL-72)', () => {
    expect(firstDelayMs(PERIOD_MS, 9999, 0.25)).toBe(2500);
    expect(firstDelayMs(PERIOD_MS, 10_000, 0.25)).toBe(0);
  });
});
