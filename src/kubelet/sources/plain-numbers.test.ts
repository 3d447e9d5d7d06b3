import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { containerAnnotations } from '../../core/pod/container-labels.ts';
import { podList } from '../../server/handlers/pod-lists.ts';
import { withPlainNumbers } from './plain-numbers.ts';

const METADATA = { name: 'a', namespace: 'b' };
const LARGE = 2n ** 63n - 1n;

test('a pod without integers beyond 2^53 stays the very same', () => {
  const tolerations = [{ key: 'a', tolerationSeconds: 30 }];
  const spec = { containers: [], terminationGracePeriodSeconds: 30, tolerations };
  const pod: Pod = { metadata: METADATA, spec };
  expect(withPlainNumbers(pod)).toBe(pod);
});

test('integers beyond 2^53 become numbers wherever they are, and the rest is shared', () => {
  const other = { name: 'other', image: 'i' };
  const hooked = { name: 'hooked', lifecycle: { preStop: { sleep: { seconds: LARGE } } } };
  const spec = {
    containers: [hooked, other],
    terminationGracePeriodSeconds: -LARGE,
    tolerations: [{ key: 'a', tolerationSeconds: LARGE }],
  };
  const pod = withPlainNumbers({ metadata: METADATA, spec } as unknown as Pod);
  const seconds = Number.MAX_SAFE_INTEGER;
  expect(pod.spec).toEqual({
    containers: [{ name: 'hooked', lifecycle: { preStop: { sleep: { seconds } } } }, other],
    terminationGracePeriodSeconds: -seconds,
    tolerations: [{ key: 'a', tolerationSeconds: seconds }],
  });
  expect(pod.metadata).toBe(METADATA);
  expect(pod.spec.containers[1]).toBe(other);
  const [container] = pod.spec.containers;
  expect(container && Object.values(containerAnnotations(pod, container, 0))).toContain(
    `{"sleep":{"seconds":${seconds}}}`,
  );
  expect(podList([pod]).status).toBe(200);
});
