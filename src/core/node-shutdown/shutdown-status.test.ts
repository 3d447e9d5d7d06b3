import { expect, test } from 'vitest';
import type { Pod, PodStatus } from '../../api/pod.ts';
import { shutDownStatus } from './shutdown-status.ts';

const POD: Pod = { metadata: { name: 'a', generation: 3 }, spec: { containers: [] } };
const NOW = '2026-01-02T03:04:05Z';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

test('a running pod fails with the kubelet’s reason, message and condition', () => {
  const status: PodStatus = { phase: 'Running', podIP: '10.0.0.1', conditions: [] };
  expect(shutDownStatus(POD, status, NOW)).toEqual({
    phase: 'Failed',
    reason: 'Terminated',
    message: MESSAGE,
    podIP: '10.0.0.1',
    conditions: [
      {
        type: 'DisruptionTarget',
        status: 'True',
        observedGeneration: 3,
        lastTransitionTime: NOW,
        reason: 'TerminationByKubelet',
        message: MESSAGE,
      },
    ],
  });
});

test('a pod that has succeeded stays succeeded', () => {
  expect(shutDownStatus(POD, { phase: 'Succeeded' }, NOW).phase).toBe('Succeeded');
});
