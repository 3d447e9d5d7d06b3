import { describe, expect, test } from 'vitest';
import { BackOffError, networkNotReady } from '../../ports/pod/sync-failure.ts';
import { outcomeOf } from './outcome.ts';

const NOW = 1_000_000;
const calm = new AbortController().signal;

const backOff = (ms: number) => new BackOffError(`back-off of ${ms} ms`, NOW + ms);
const noNetwork = () => networkNotReady({ reason: 'plugin not initialised' });

function outcome(error: unknown, signal = calm) {
  return outcomeOf(error, signal, NOW);
}

describe('the outcome of work, from what it threw', () => {
  test('an error without a back-off or a code', () => {
    const failed = { kind: 'failed', reason: 'disk full', retryAfterMs: null };
    expect(outcome(new Error('disk full'))).toEqual(failed);
    expect(outcome('disk full')).toEqual(failed);
  });

  test('a back-off gives the time of its end (PW-53)', () => {
    expect(outcome(backOff(40_000))).toMatchObject({ kind: 'failed', retryAfterMs: 40_000 });
    expect(outcome(backOff(-5))).toMatchObject({ kind: 'failed', retryAfterMs: -5 });
  });

  test('the earliest of several back-offs counts, however deep they are (PW-53)', () => {
    const deep = new Error('sync failed', {
      cause: new AggregateError([new Error('x', { cause: backOff(20_000) }), backOff(90_000)]),
    });
    expect(outcome(deep)).toEqual({
      kind: 'failed',
      reason: 'sync failed',
      retryAfterMs: 20_000,
    });
  });

  test('a missing network is known by its code (PW-52)', () => {
    const reason = 'network is not ready: plugin not initialised';
    expect(outcome(noNetwork())).toEqual({ kind: 'networkNotReady', reason });
    expect(outcome(new Error('sync failed', { cause: noNetwork() })).kind).toBe('networkNotReady');
  });

  test('the text of an error does not count', () => {
    expect(outcome(new Error('network is not ready')).kind).toBe('failed');
  });

  test('a missing network wins over a back-off (PW-52)', () => {
    expect(outcome(new AggregateError([backOff(5), noNetwork()])).kind).toBe('networkNotReady');
  });

  test('an abort is a cancellation, even as a cause (A-75)', () => {
    const aborted = AbortSignal.abort(new Error('less time is left'));
    expect(outcome(aborted.reason, aborted)).toEqual({ kind: 'cancelled' });
    const wrapped = new Error('stop failed', { cause: aborted.reason });
    expect(outcome(wrapped, aborted)).toEqual({ kind: 'cancelled' });
    expect(outcome(new DOMException('enough', 'AbortError'))).toEqual({ kind: 'cancelled' });
  });

  test('work that fails by itself was not cancelled, even if its signal was aborted', () => {
    expect(outcome(new Error('disk full'), AbortSignal.abort()).kind).toBe('failed');
  });

  test('a cyclic tree of errors is walked once', () => {
    const error = new Error('round and round');
    error.cause = new AggregateError([error]);
    expect(outcome(error)).toMatchObject({ kind: 'failed', reason: 'round and round' });
  });
});
