import { expect, test } from 'vitest';
import { isGone, decideDelivery, type Refusal } from './delivery.ts';

function refusal(statusCode: number, fields: Partial<Refusal> = {}): Refusal {
  return { statusCode, reason: 'Reason', causes: [], retryAfterMs: null, ...fields };
}

test('without an answer the first pause is any part of ten seconds, the others are ten', () => {
  expect(decideDelivery(null, 1, 0)).toEqual({ type: 'retry', delayMs: 0 });
  expect(decideDelivery(null, 1, 0.25)).toEqual({ type: 'retry', delayMs: 2500 });
  expect(decideDelivery(null, 2, 0.25)).toEqual({ type: 'retry', delayMs: 10_000 });
  expect(decideDelivery(null, 11, 0.25)).toEqual({ type: 'retry', delayMs: 10_000 });
});

test('the twelfth try is the last', () => {
  expect(decideDelivery(null, 12, 0)).toEqual({ type: 'giveUp', isNew: true });
  expect(decideDelivery(refusal(503, { retryAfterMs: 1 }), 12, 0)).toEqual({
    type: 'giveUp',
    isNew: true,
  });
});

test.each([400, 401, 403, 404, 409, 413, 422, 500, 501])('%i is given up at once', (code) => {
  expect(decideDelivery(refusal(code), 1, 0)).toEqual({ type: 'giveUp', isNew: true });
});

test.each([429, 502, 503, 504])('%i is tried again', (code) => {
  expect(decideDelivery(refusal(code), 2, 0)).toEqual({ type: 'retry', delayMs: 10_000 });
});

test('Retry-After is respected, up to a minute', () => {
  const later = (retryAfterMs: number) => decideDelivery(refusal(500, { retryAfterMs }), 1, 0.5);
  expect(later(3000)).toEqual({ type: 'retry', delayMs: 3000 });
  expect(later(3_600_000)).toEqual({ type: 'retry', delayMs: 60_000 });
  expect(later(0)).toEqual({ type: 'retry', delayMs: 5000 });
  expect(decideDelivery(refusal(403, { retryAfterMs: 1000 }), 1, 0)).toMatchObject({
    type: 'giveUp',
  });
});

test('an event that exists already, or whose namespace is being deleted, is not logged', () => {
  const there = refusal(409, { reason: 'AlreadyExists' });
  const goes = refusal(403, { causes: [{ reason: 'NamespaceTerminating' }] });
  expect(decideDelivery(there, 1, 0)).toEqual({ type: 'giveUp', isNew: false });
  expect(decideDelivery(goes, 1, 0)).toEqual({ type: 'giveUp', isNew: false });
});

test('only 404 says that there is nothing to patch', () => {
  expect([404, 403, 410].map((code) => isGone(refusal(code)))).toEqual([true, false, false]);
});
