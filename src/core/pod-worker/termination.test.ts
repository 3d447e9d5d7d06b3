import { describe, expect, test } from 'vitest';
import { kill, killed, killedInRuntime, updated } from '../../../test/support/pod-worker-events.ts';
import { pod } from '../../../test/support/pods.ts';
import { requestFrom } from './event.ts';
import {
  causeOf,
  explainCause,
  explainMarks,
  fateFrom,
  graceFor,
  markedBy,
} from './termination.ts';
import type { Fate } from './state.ts';

const web = pod('web');
const deleted = pod('web', { deletedWithin: 5 });
const over = pod('web', { phase: 'Failed' });
const evict = kill(1, { evict: true });
const untouched: Fate = { deleted: false, evicted: false, restartRequested: false };

describe('PW-16: why a pod has to end, the first match', () => {
  test.each([
    ['an update: it goes on', updated(web), null],
    ['a kill', killed(web), 'killed'],
    ['an eviction', killed(web, evict), 'evicted'],
    ['a final phase', updated(over), 'terminalPhase'],
    ['an eviction in a final phase', killed(over, evict), 'terminalPhase'],
    ['a deletion', updated(deleted), 'deleted'],
    ['an eviction of a deleted pod', killed(deleted, evict), 'deleted'],
    ['a kill by the runtime', killedInRuntime('web'), 'orphaned'],
  ] as const)('%s', (_, event, cause) => {
    expect(causeOf(requestFrom(event))).toBe(cause);
  });

  test('a kill from the runtime counts as orphaned, even if the spec is known', () => {
    const known = { kind: 'configured', pod: web, mirrorPod: null } as const;
    expect(causeOf(requestFrom(killedInRuntime('web'), known))).toBe('orphaned');
  });

  test('every cause has its reason, for people', () => {
    expect(explainCause('evicted')).toBe('the pod is evicted from this node');
    expect(explainMarks(untouched, untouched)).toBeNull();
    expect(explainMarks(untouched, fateFrom('deleted'))).toBe('the pod was deleted');
    expect(explainMarks(untouched, fateFrom('evicted'))).toBe('the pod is evicted from this node');
  });
});

describe('V-3: marks that come after the end was decided', () => {
  test.each([
    ['an update', updated(web), untouched],
    ['a deletion', updated(deleted), { ...untouched, deleted: true }],
    ['an eviction', killed(web, evict), { ...untouched, evicted: true }],
    ['both at once', killed(deleted, evict), { ...untouched, deleted: true, evicted: true }],
  ] as const)('%s', (_, event, fate) => {
    expect(markedBy(requestFrom(event), untouched)).toEqual(fate);
  });

  test('no mark is ever removed, and nothing is copied if nothing changes', () => {
    const both = { ...untouched, deleted: true, evicted: true };
    expect(markedBy(requestFrom(updated(web)), both)).toBe(both);
  });

  test('a kill from the runtime does not mark a pod as deleted', () => {
    const known = { kind: 'configured', pod: web, mirrorPod: null } as const;
    expect(markedBy(requestFrom(killedInRuntime('web'), known), untouched)).toBe(untouched);
  });
});

describe('PW-45: the grace period of a subject', () => {
  const patient = pod('web', { graceSeconds: 30 });

  test('a pod without a spec gets a second', () => {
    const ghost = {
      kind: 'runtimeOnly',
      runningPod: { uid: 'u', name: 'n', namespace: 'd' },
    } as const;
    expect(graceFor(ghost, null, null)).toEqual({ graceSeconds: 1, shortened: false });
  });

  test('a first grace period shortens nothing, a smaller one does', () => {
    const subject = { kind: 'configured', pod: patient, mirrorPod: null } as const;
    expect(graceFor(subject, null, null)).toEqual({ graceSeconds: 30, shortened: false });
    const hurry = kill(1, { graceSeconds: 4 });
    expect(graceFor(subject, hurry, 30)).toEqual({ graceSeconds: 4, shortened: true });
    expect(graceFor(subject, null, 4)).toEqual({ graceSeconds: 4, shortened: false });
  });
});
