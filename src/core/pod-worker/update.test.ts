import { describe, expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { InvariantError } from '../../lib/assert.ts';
import { isStaticSubject, merge, replayOf, supersede } from './update.ts';
import type { Configured, RuntimeOnly, Update } from './update.ts';

const runningPod = { uid: 'u1', name: 'web', namespace: 'default' };
const ghost: RuntimeOnly = { kind: 'runtimeOnly', runningPod };

function configured(name: string, mirror?: string): Configured {
  return {
    kind: 'configured',
    pod: pod(name),
    mirrorPod: mirror === undefined ? null : pod(mirror),
  };
}

function update(startedAtMs: number | null): Update {
  return { type: 'update', subject: configured('web'), startedAtMs };
}

describe('PW-25: what is known after a newer update', () => {
  test('the newest spec counts', () => {
    const newer = configured('new');
    expect(merge(configured('old'), newer)).toBe(newer);
    expect(merge(ghost, newer)).toBe(newer);
  });

  test('a spec that was known is never lost', () => {
    expect(() => merge(configured('old'), ghost)).toThrow(InvariantError);
  });

  test('a repeated update counts as a plain sync', () => {
    expect(replayOf(ghost)).toEqual({ type: 'sync', subject: ghost, startedAtMs: null });
  });
});

describe('PW-21: the start of an update that replaces another', () => {
  test.each([
    [null, null, null],
    [null, 5, 5],
    [3, 5, 3],
    [5, 3, 3],
    [3, null, 3],
  ])('waiting since %s, replaced by one from %s: measured from %s', (waiting, newer, start) => {
    expect(supersede(update(waiting), update(newer)).startedAtMs).toBe(start);
  });

  test('nothing is copied if nothing changes', () => {
    const newer = update(5);
    expect(supersede(null, newer)).toBe(newer);
    expect(supersede(update(7), newer)).toBe(newer);
  });
});

test('a pod without a spec is not static', () => {
  expect(isStaticSubject(ghost)).toBe(false);
  expect(isStaticSubject(configured('web'))).toBe(false);
  const subject = { ...configured('web'), pod: pod('web', { static: true }) };
  expect(isStaticSubject(subject)).toBe(true);
});
