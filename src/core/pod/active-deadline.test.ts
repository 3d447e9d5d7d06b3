import { describe, expect, test } from 'vitest';
import { podOf } from '../../../test/support/pod-parts.ts';
import { DEADLINE_EXCEEDED, isPastDeadline } from './active-deadline.ts';

const START = '2026-01-02T03:04:05Z';
const limited = podOf({ activeDeadlineSeconds: 60 });

describe('KL-24: a pod that may run for sixty seconds', () => {
  test.each([
    ['2026-01-02T03:04:05Z', false],
    ['2026-01-02T03:05:04Z', false],
    ['2026-01-02T03:05:04.999Z', false],
    ['2026-01-02T03:05:05Z', true],
    ['2026-01-02T03:05:06Z', true],
    ['2026-01-02T03:00:00Z', false],
  ])('at %s its time is over: %s', (now, expected) => {
    expect(isPastDeadline(limited, { startTime: START }, now)).toBe(expected);
  });

  test('has no deadline until it has started', () => {
    const now = '2036-01-01T00:00:00Z';
    expect(isPastDeadline(limited, {}, now)).toBe(false);
    expect(isPastDeadline(limited, { startTime: null }, now)).toBe(false);
  });

  test('is measured by the given status, not by its own', () => {
    const pod = podOf({ activeDeadlineSeconds: 60 }, { status: { startTime: START } });
    expect(isPastDeadline(pod, {}, '2036-01-01T00:00:00Z')).toBe(false);
  });
});

test('KL-24: a pod without a deadline never passes it', () => {
  expect(isPastDeadline(podOf(), { startTime: START }, '2036-01-01T00:00:00Z')).toBe(false);
});

test('KL-24: a deadline of zero seconds is passed immediately', () => {
  expect(isPastDeadline(podOf({ activeDeadlineSeconds: 0 }), { startTime: START }, START)).toBe(
    true,
  );
});

test('KL-24: the message is the kubelet’s', () => {
  expect(DEADLINE_EXCEEDED).toEqual({
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
});
