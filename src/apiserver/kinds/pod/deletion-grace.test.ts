import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readStruct } from '../validation/json-reading.ts';
import { podGraceSeconds } from './deletion-grace.ts';
import { stepsOf } from './recorded-answers.ts';

/** What a recorded request asks for, in its body or in its address. */
function askedBy({ path, body }: { path: string; body?: JsonObject }): number | undefined {
  const inPath = /gracePeriodSeconds=(-?\d+)/.exec(path)?.[1];
  const asked = inPath ?? body?.['gracePeriodSeconds'];
  return asked === undefined ? undefined : Number(asked);
}

describe('the grace that kube-apiserver gave', () => {
  const deletions = stepsOf('pod-deletion').filter(
    ({ request, response }) => request.method === 'DELETE' && response.code === 200,
  );

  test.each(
    deletions.map(({ request, response }) => [request.path, request, response.body] as const),
  )('%s', (_path, request, pod) => {
    const granted = readNumber(readStruct(pod['metadata'])['deletionGracePeriodSeconds']);
    const asked = askedBy(request);
    // A second deletion can only shorten the time: the registry sees to that.
    const isLonger = asked === 50;
    expect(podGraceSeconds(pod, asked)).toBe(isLonger ? 50 : granted);
  });

  test('there are enough of them', () => {
    expect(deletions.length).toBeGreaterThan(6);
  });
});

describe('the rules', () => {
  const pod = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 30 } };

  test('a pod without a node, or one that is over, needs no time, whatever is asked', () => {
    expect(podGraceSeconds({ spec: { terminationGracePeriodSeconds: 30 } }, 50)).toBe(0);
    for (const phase of ['Succeeded', 'Failed']) {
      expect(podGraceSeconds({ ...pod, status: { phase } }, 50)).toBe(0);
    }
  });

  test('who asks is heard, also if the pod itself asks for nothing', () => {
    const hasty = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0 } };
    expect(podGraceSeconds(hasty)).toBe(0);
    expect(podGraceSeconds(hasty, 50)).toBe(50);
    expect(podGraceSeconds(pod)).toBe(30);
  });

  test('less than no time is one second', () => {
    expect(podGraceSeconds(pod, -5)).toBe(1);
    const negative = { spec: { nodeName: 'n1', terminationGracePeriodSeconds: -1 } };
    expect(podGraceSeconds(negative)).toBe(1);
  });
});
