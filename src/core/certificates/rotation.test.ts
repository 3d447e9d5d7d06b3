import { describe, expect, test } from 'vitest';
import { clientTemplate } from './certificate-template.ts';
import { isExpired, nextRotationStep, retryMs, rotationAtMs } from './rotation.ts';

const wanted = clientTemplate('n1');
const held = { ...wanted, notBeforeMs: 1000, notAfterMs: 11_000 };
const facts = { held, wanted, chance: 0.5, isForced: false };

describe('when a certificate is replaced', () => {
  test.each([
    [0, 8000],
    [0.5, 9000],
    [1, 10_000],
  ])('after 70 to 90 %% of its life, by chance %d', (chance, atMs) => {
    expect(rotationAtMs(held, chance)).toBeCloseTo(atMs);
  });

  test('not before its time', () => {
    const step = nextRotationStep(facts, 8999);
    expect(step).toMatchObject({ type: 'wait' });
    expect(step.type === 'wait' && step.untilMs).toBeCloseTo(9000);
    expect(nextRotationStep(facts, 9001)).toEqual({ type: 'request', wanted });
  });

  test('immediately if there is none, if it must be replaced, or if it does not match', () => {
    const request = { type: 'request', wanted };
    expect(nextRotationStep({ ...facts, held: null }, 0)).toEqual(request);
    expect(nextRotationStep({ ...facts, isForced: true }, 0)).toEqual(request);
    const other = { ...held, commonName: 'system:node:n2' };
    expect(nextRotationStep({ ...facts, held: other }, 0)).toEqual(request);
  });

  test('never, while the template is unknown', () => {
    const step = nextRotationStep({ ...facts, held: null, wanted: null }, 0);
    expect(step).toEqual({ type: 'wait', untilMs: Number.POSITIVE_INFINITY });
  });

  test('it is valid until the very end', () => {
    expect(isExpired(held, 11_000)).toBe(false);
    expect(isExpired(held, 11_001)).toBe(true);
  });
});

test('waits after failures double from 2 s on, with up to a tenth more, and end at 32 s', () => {
  expect([1, 2, 3, 4, 5, 6, 100].map((failures) => retryMs(failures, 0))).toEqual([
    2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000,
  ]);
  expect(retryMs(1, 1)).toBeCloseTo(2200);
});
