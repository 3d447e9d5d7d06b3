import { expect, test } from 'vitest';
import { resizeMessage } from './resize-message.ts';

test('fields and resources are in the order in which Go writes them', () => {
  const pod = {
    metadata: {},
    spec: {
      initContainers: [{ name: 'i' }],
      containers: [
        {
          name: 'c',
          resources: { requests: { memory: '1024Mi', cpu: '0.1' }, limits: { cpu: 1 } },
        },
      ],
    },
  };
  expect(resizeMessage('Infeasible', pod, 3, 'why')).toBe(
    'Pod resize Infeasible: {"initContainers":[{"name":"i","resources":{}}],"containers":[{"name":"c",' +
      '"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"100m","memory":"1Gi"}}}],' +
      '"generation":3,"error":"why"}',
  );
});
