/**
 * The machine edge by edge. States are reached by the events that lead there, so that no row starts
 * from an impossible state.
 */
import { describe, expect, test } from 'vitest';
import type { PodStatus } from '../../api/pod.ts';
import { EARLIER, NOW, podOf } from '../../../test/support/pod-parts.ts';
import type { WriteView } from './next-request.ts';
import {
  decide,
  initial,
  type Decision,
  type Effect,
  type Event,
  type State,
} from './status-write.ts';

const ours: PodStatus = { phase: 'Running' };
const over: PodStatus = { phase: 'Failed' };

function viewOf(api: PodStatus, fields: Partial<WriteView> = {}): WriteView {
  return {
    record: { version: 1, name: 'web', namespace: 'default', status: ours, isFinished: false },
    apiUid: 'uid-1',
    isMirrored: false,
    known: podOf({}, { status: api }),
    couldHaveRunningContainers: false,
    now: NOW,
    ...fields,
  };
}

const record = viewOf(ours).record;
const last = { ...record, status: over, isFinished: true };
const goner = podOf({}, { metadata: { deletionTimestamp: EARLIER }, status: over });

const VIEWS = {
  'the API differs': viewOf({ phase: 'Pending' }),
  'the API has it': viewOf(ours),
  'v2 is stored meanwhile': viewOf(ours, { record: { ...record, version: 2 } }),
  'it may be deleted': viewOf(over, { record: last, known: goner }),
  'the last word differs': viewOf(over, {
    record: { ...last, status: { ...over, reason: 'Evicted' } },
    known: goner,
  }),
  'no object is known': viewOf(ours, { known: null }),
  'another pod has the name': viewOf(ours, { apiUid: 'uid-0' }),
  'another mirror has the name': viewOf(ours, { apiUid: 'uid-0', isMirrored: true }),
  'it has no mirror': viewOf(ours, { apiUid: null, isMirrored: true }),
} as const;
type View = keyof typeof VIEWS;

const admitted = (view: View): Event => ({ type: 'admitted', view: VIEWS[view] });
const settled = (
  type: 'done' | 'conflict' | 'notFound' | 'failed',
  view: View = 'the API has it',
): Event => ({
  type: 'settled',
  outcome: type === 'failed' ? { type, retryAfterMs: null } : { type },
  view: VIEWS[view],
});
const changed: Event = { type: 'changed', lane: 'normal' };
const urgent: Event = { type: 'changed', lane: 'urgent' };
const overwritten: Event = { type: 'overwritten' };
const woke: Event = { type: 'woke' };
const seen: Event = { type: 'seen' };

const REACHED_BY = {
  idle: [],
  'idle, acked v1': [changed, admitted('the API has it')],
  queued: [changed],
  'queued urgent': [urgent],
  'queued, must read': [changed, admitted('the API differs'), settled('conflict')],
  'busy patch': [changed, admitted('the API differs')],
  'busy patch of the last word': [urgent, admitted('the last word differs')],
  'busy patch, again': [changed, admitted('the API differs'), changed],
  'busy remove': [urgent, admitted('it may be deleted')],
  'busy read': [
    changed,
    admitted('the API differs'),
    settled('conflict'),
    admitted('the API differs'),
  ],
  waiting: [changed, admitted('the API differs'), settled('failed')],
  missing: [changed, admitted('no object is known')],
} as const satisfies Record<string, readonly Event[]>;

type From = keyof typeof REACHED_BY;
/** The events in each state, and what follows: the next state, and after a `>` the effects. */
type Row = readonly [event: string, from: From, next: string];

function play(events: readonly Event[]): State {
  return events.reduce((state, event) => decide(state, event).state, initial);
}

function show(state: State): string {
  const acked = state.acked ? `, acked ${state.acked.uid} v${state.acked.version}` : '';
  switch (state.phase) {
    case 'idle':
    case 'missing':
      return state.phase + acked;
    case 'queued':
    case 'waiting':
      return `${state.phase} ${state.lane}${state.mustRead ? ', must read' : ''}${acked}`;
    case 'busy': {
      const again = state.again ? `, again ${state.again}` : '';
      return `busy ${state.request} v${state.version}${again}${acked}`;
    }
  }
}

function showEffect(effect: Effect): string {
  switch (effect.type) {
    case 'enqueue':
      return `enqueue ${effect.lane}`;
    case 'request':
      return `${effect.request.type} v${effect.request.version}`;
    case 'acknowledge':
      return `acknowledge v${effect.version}`;
    case 'wakeAfter':
      return `wake after ${effect.delayMs} ms`;
    case 'dropRecord':
      return 'drop the record';
  }
}

/** What follows an event in the state that those events lead to. */
function next(from: From, event: Event): string {
  const { state, effects } = decide(play(REACHED_BY[from]), event);
  const orders = effects.map(showEffect).join(', ');
  return orders === '' ? show(state) : `${show(state)} > ${orders}`;
}

describe('something changed', () => {
  const EVENTS = { changed, urgent, overwritten } as const;
  test.each<Row>([
    ['changed', 'idle', 'queued normal > enqueue normal'],
    ['urgent', 'idle', 'queued urgent > enqueue urgent'],
    ['changed', 'idle, acked v1', 'queued normal, acked uid-1 v1 > enqueue normal'],
    ['overwritten', 'idle, acked v1', 'queued normal > enqueue normal'],
    // A queued pod is queued once, and only moves to the higher lane.
    ['changed', 'queued', 'queued normal'],
    ['urgent', 'queued', 'queued urgent > enqueue urgent'],
    ['changed', 'queued urgent', 'queued urgent'],
    ['urgent', 'queued urgent', 'queued urgent'],
    ['urgent', 'queued, must read', 'queued urgent, must read > enqueue urgent'],
    ['overwritten', 'queued', 'queued normal'],
    // A change while a request is under way is remembered, with the higher lane (F-4).
    ['changed', 'busy patch', 'busy patch v1, again normal'],
    ['urgent', 'busy patch', 'busy patch v1, again urgent'],
    ['urgent', 'busy patch, again', 'busy patch v1, again urgent'],
    ['changed', 'busy read', 'busy read v1, again normal'],
    ['changed', 'busy remove', 'busy remove v1, again normal'],
    ['overwritten', 'busy patch', 'busy patch v1, again normal'],
    // The API asked for a delay.
    ['changed', 'waiting', 'waiting normal'],
    ['urgent', 'waiting', 'waiting urgent'],
    // The API does not have the pod, so there is nothing to write to (F-12).
    ['changed', 'missing', 'missing'],
    ['urgent', 'missing', 'missing'],
  ])('%s while %s: %s', (event, from, expected) => {
    expect(next(from, EVENTS[event as keyof typeof EVENTS])).toBe(expected);
  });
});

describe('its turn has come', () => {
  test.each<Row>([
    ['the API differs', 'queued', 'busy patch v1 > patch v1'],
    ['the API differs', 'queued urgent', 'busy patch v1 > patch v1'],
    ['the API has it', 'queued', 'idle, acked uid-1 v1 > acknowledge v1'],
    ['it may be deleted', 'queued', 'busy remove v1 > remove v1'],
    ['no object is known', 'queued', 'missing'],
    ['another pod has the name', 'queued', 'idle > drop the record'],
    ['another mirror has the name', 'queued', 'idle'],
    ['it has no mirror', 'queued', 'idle'],
    // SM-74: after a conflict the known object is not to be trusted.
    ['the API differs', 'queued, must read', 'busy read v1 > read v1'],
    ['the API has it', 'queued, must read', 'busy read v1 > read v1'],
    ['no object is known', 'queued, must read', 'busy read v1 > read v1'],
    ['it has no mirror', 'queued, must read', 'idle'],
    // A turn for a pod that is not queued is ignored.
    ['the API differs', 'idle', 'idle'],
    ['the API differs', 'busy patch', 'busy patch v1'],
    ['the API differs', 'waiting', 'waiting normal'],
    ['the API differs', 'missing', 'missing'],
  ])('%s while %s: %s', (view, from, expected) => {
    expect(next(from, admitted(view as View))).toBe(expected);
  });
});

describe('the request is done', () => {
  test.each<Row>([
    ['the API has it', 'busy patch', 'idle, acked uid-1 v1 > acknowledge v1'],
    // Invariant 3: a newer version gets another request.
    [
      'v2 is stored meanwhile',
      'busy patch, again',
      'queued normal, acked uid-1 v1 > acknowledge v1, enqueue normal',
    ],
    // SM-79: the response shows that the pod may be deleted now.
    [
      'it may be deleted',
      'busy patch of the last word',
      'queued urgent, acked uid-1 v1 > acknowledge v1, enqueue urgent',
    ],
    ['no object is known', 'busy patch', 'idle, acked uid-1 v1 > acknowledge v1'],
    ['the API has it', 'busy read', 'queued normal > enqueue normal'],
    ['it may be deleted', 'busy remove', 'idle > drop the record'],
    // An outcome without a request under way is ignored.
    ['the API has it', 'idle', 'idle'],
    ['the API has it', 'queued', 'queued normal'],
    ['the API has it', 'waiting', 'waiting normal'],
    ['the API has it', 'missing', 'missing'],
  ])('%s while %s: %s', (view, from, expected) => {
    expect(next(from, settled('done', view as View))).toBe(expected);
  });

  test('a status after the last one is compared again before the pod is removed (SM-79)', () => {
    const answered = [
      ...REACHED_BY['busy patch of the last word'],
      settled('done', 'it may be deleted'),
    ];
    const turn = admitted('the last word differs');
    expect(show(play([...answered, turn]))).toBe('busy remove v1, acked uid-1 v1');
    expect(show(play([...answered, changed, turn]))).toBe('busy patch v1, acked uid-1 v1');
  });

  test('a change that became urgent during a read is urgent when it is written', () => {
    const state = play([...REACHED_BY['busy read'], urgent, settled('done')]);
    expect(show(state)).toBe('queued urgent');
  });

  test('a change that became urgent during a patch takes the urgent lane next', () => {
    const state = play([...REACHED_BY['busy patch'], urgent, settled('done')]);
    expect(show(state)).toBe('queued urgent, acked uid-1 v1');
  });
});

describe('the request is refused (SM-76)', () => {
  const EVENTS = {
    conflict: settled('conflict'),
    'not found': settled('notFound'),
    failed: settled('failed'),
  } as const;
  test.each<Row>([
    ['conflict', 'busy patch', 'queued normal, must read > enqueue normal'],
    ['conflict', 'busy remove', 'queued urgent, must read > enqueue urgent'],
    ['not found', 'busy patch', 'missing'],
    ['not found', 'busy patch, again', 'missing'],
    ['not found', 'busy remove', 'missing'],
    ['not found', 'busy read', 'missing'],
    ['failed', 'busy patch', 'waiting normal > wake after 1000 ms'],
    ['failed', 'busy remove', 'waiting urgent > wake after 1000 ms'],
    // Invariant 4: a read that failed is a read that is still due.
    ['failed', 'busy read', 'waiting normal, must read > wake after 1000 ms'],
    ['conflict', 'idle', 'idle'],
    ['failed', 'queued', 'queued normal'],
  ])('%s while %s: %s', (event, from, expected) => {
    expect(next(from, EVENTS[event as keyof typeof EVENTS])).toBe(expected);
  });

  test('a change that became urgent meanwhile is retried in the urgent lane', () => {
    const busy = [...REACHED_BY['busy patch'], urgent];
    expect(show(play([...busy, settled('failed'), woke]))).toBe('queued urgent');
    expect(show(play([...busy, settled('conflict')]))).toBe('queued urgent, must read');
  });

  test('a deletion that fails is tried again, as if it were the first failure', () => {
    const removing = [
      ...REACHED_BY['busy patch of the last word'],
      settled('done', 'it may be deleted'),
      admitted('it may be deleted'),
    ];
    const { effects } = decide(play(removing), settled('failed'));
    expect(effects.map(showEffect)).toEqual(['wake after 1000 ms']);
  });

  test('after a second conflict in a row it backs off, and reads again', () => {
    const again = [...REACHED_BY['busy read'], settled('done'), admitted('the API differs')];
    expect(show(play([...again, settled('conflict')]))).toBe('waiting normal, must read');
  });

  test('an acknowledged version stays acknowledged when a later one fails', () => {
    const failed = [changed, admitted('the API differs'), settled('failed')];
    const state = play([...REACHED_BY['idle, acked v1'], ...failed]);
    expect(show(state)).toBe('waiting normal, acked uid-1 v1');
  });
});

describe('the back-off has ended, or the watch delivers the pod', () => {
  const EVENTS = { woke, seen } as const;
  test.each<Row>([
    ['woke', 'waiting', 'queued normal > enqueue normal'],
    ['woke', 'idle', 'idle'],
    ['woke', 'queued', 'queued normal'],
    ['woke', 'busy patch', 'busy patch v1'],
    ['woke', 'missing', 'missing'],
    // The pod exists after all (F-12).
    ['seen', 'missing', 'queued normal > enqueue normal'],
    ['seen', 'idle', 'idle'],
    ['seen', 'queued urgent', 'queued urgent'],
    ['seen', 'busy patch', 'busy patch v1'],
    ['seen', 'waiting', 'waiting normal'],
  ])('%s while %s: %s', (event, from, expected) => {
    expect(next(from, EVENTS[event as keyof typeof EVENTS])).toBe(expected);
  });

  test('a read that is due is still due after the wait', () => {
    const state = play([...REACHED_BY['busy read'], settled('failed'), woke]);
    expect(show(state)).toBe('queued normal, must read');
  });
});

describe('back-off', () => {
  /** The delays after so many failures in a row. */
  function delays(count: number, retryAfterMs: number | null = null): readonly number[] {
    let state: State = play([changed]);
    return Array.from({ length: count }, () => {
      ({ state } = decide(state, admitted('the API differs')));
      const outcome = { type: 'failed', retryAfterMs } as const;
      const decision: Decision = decide(state, {
        type: 'settled',
        outcome,
        view: VIEWS['the API differs'],
      });
      ({ state } = decide(decision.state, woke));
      const [effect] = decision.effects;
      return effect?.type === 'wakeAfter' ? effect.delayMs : Number.NaN;
    });
  }

  test('SM-64: the wait doubles from one second to ten, the longest that the kubelet takes', () => {
    expect(delays(6)).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  test('it stays ten seconds, however long the API is down', () => {
    expect(delays(2000).at(-1)).toBe(10_000);
  });

  test('the wait grows even if the API asks for an immediate retry', () => {
    expect(delays(4, 0)).toEqual([1000, 2000, 4000, 8000]);
  });

  test('the API may set the wait', () => {
    expect(delays(2, 90_000)).toEqual([90_000, 90_000]);
  });

  test('after a success it starts over', () => {
    const failed = [admitted('the API differs'), settled('failed'), woke];
    const state = play([
      ...[changed, ...failed, ...failed, ...failed],
      ...[admitted('the API differs'), settled('done'), changed, admitted('the API differs')],
    ]);
    expect(decide(state, settled('failed')).effects.map(showEffect)).toEqual([
      'wake after 1000 ms',
    ]);
  });
});

test('an event that changes nothing returns the same object', () => {
  const queued = play([urgent]);
  expect(decide(queued, changed).state).toBe(queued);
  expect(decide(initial, woke).state).toBe(initial);
});

test('the UID under which a version is acknowledged is the one that the API has (SM-2)', () => {
  const mirrored = viewOf(ours, {
    apiUid: 'mirror-1',
    isMirrored: true,
    known: podOf({}, { metadata: { uid: 'mirror-1' }, status: ours }),
  });
  const { state } = decide(play([changed]), { type: 'admitted', view: mirrored });
  expect(show(state)).toBe('idle, acked mirror-1 v1');
});
