import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { explainPod } from './explain-pod.ts';
import { explainSet, type SetInput } from './explain-set.ts';

const NOW = Date.UTC(2030, 0, 2);
const COMMON = { namespace: 'default', name: 'db', events: [], pods: [], notes: [], now: NOW };

function explained(set: JsonObject, more: Partial<SetInput> = {}) {
  return explainSet({ ...COMMON, kind: 'StatefulSet', set, ...more });
}

const failed = (message: string): JsonObject => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message,
  lastTimestamp: '2030-01-01T00:00:00Z',
});

describe('a set', () => {
  const spec = { replicas: 3 };
  const one = { observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1 };

  test('that no controller has seen', () => {
    const { state, causes } = explained({ spec });
    expect(state).toBe('NotAvailable');
    expect(causes).toMatchObject([{ situation: 'no-controller' }]);
    expect(causes[0]?.what).toContain('No controller acts on the StatefulSet');
  });

  test('whose pods cannot be created says why', () => {
    const set = { metadata: { generation: 2 }, spec, status: one };
    const { summary, causes } = explained(set, {
      events: [failed('pvc data-db-1 is being deleted')],
    });
    expect(summary).toContain('has 1 of 3 pods available: 2 missing');
    expect(causes.map(({ situation }) => situation)).toEqual(['controller-behind', 'pods-missing']);
    expect(causes[1]?.what).toContain('pvc data-db-1 is being deleted');
  });

  test('whose pods exist does not name an old failure', () => {
    const status = { ...one, replicas: 3 };
    const { causes } = explained({ spec, status }, { events: [failed('quota')] });
    expect(causes[0]?.what).toBe('StatefulSet "db" has created 3 of 3 pods, and 1 are ready.');
  });

  test('that has all of its pods needs no explanation', () => {
    const status = { ...one, replicas: 3, readyReplicas: 3, availableReplicas: 3 };
    expect(explained({ spec, status })).toMatchObject({ state: 'Available', causes: [] });
  });

  test('of daemons counts nodes, and names what its worst pod waits for', () => {
    const pod = explainPod({
      namespace: 'default',
      name: 'agent-1',
      pod: {
        metadata: { name: 'agent-1' },
        spec: { containers: [{ name: 'c' }] },
        status: { phase: 'Pending' },
      },
      events: [],
      node: null,
      nodes: [],
      nodePods: [],
      timeline: null,
      related: [],
      isNodeMissing: false,
      notes: [],
      now: NOW,
    });
    const status = { observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2 };
    const { summary, causes } = explained({ status }, { kind: 'DaemonSet', pods: [pod] });
    expect(summary).toContain('DaemonSet "db" in namespace "default" has 0 of 2 pods available');
    expect(causes.at(-1)?.what).toMatch(/^Pod "agent-1": /);
  });
});
