/**
 * Pods as an API server would deliver them, with the fields that the test is about.
 */
import type { Pod } from '../../../src/api/pod.ts';
import type { RunPodSpec } from '../../../src/api/run-spec.ts';

export const NAMESPACE = 'rec';

export function livePod(name: string, spec: Partial<RunPodSpec> = {}): Pod {
  return {
    metadata: { name, namespace: NAMESPACE, uid: `uid-of-${name}`, generation: 1 },
    spec: {
      nodeName: 'node-1',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'main', image: 'busy:1' }],
      ...spec,
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
}
