import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../lib/json.ts';
import { explainDeployment } from './explain-deployment.ts';
import { explainNode } from './explain-node.ts';
import { explainSet } from './explain-set.ts';
import { explainPod } from './explain-pod.ts';
import { printExplanation } from './explanation-text.ts';
import { objectsNeededBy } from './pod-references.ts';
import type { PodInput } from './pod-view.ts';

const NOW = 1_900_000_000_000;
const WORDS = ['name', 'uid', 'metadata', 'spec', 'status', 'conditions', 'containers', 'state'];
const MORE = ['volumes', 'items', 'waiting', 'terminated', 'reason', 'type', 'waitsFor', 'at'];
const VALUES = ['Pending', 'Running', 'Failed', 'CrashLoopBackOff', '2030-01-01T00:00:00Z', 'x\n'];

const input: PodInput = {
  namespace: 'default',
  name: 'web',
  pod: null,
  events: [],
  node: null,
  isNodeMissing: false,
  nodes: [],
  nodePods: [],
  timeline: null,
  related: [],
  notes: [],
  now: NOW,
};

/** Objects with the right keys in the wrong places. */
const { object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...VALUES, null, true, -1, 1e300, 2n ** 60n),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(...WORDS, ...MORE, 'deletionTimestamp', 'nodeName', '__proto__'),
    tie('value'),
    { maxKeys: 6 },
  ),
}));

describe('garbage', () => {
  test('any pod, Event, node and timeline is explained, and printed on lines of its own', () => {
    fc.assert(
      fc.property(object, object, object, object, (pod, event, node, timeline) => {
        const given = { pod, events: [event], node, nodes: [node], nodePods: [pod], timeline };
        const explanation = explainPod({ ...input, ...given });
        expect(objectsNeededBy(pod)).toBeInstanceOf(Array);
        expect(printExplanation(explanation)).toMatch(/^Pod "web" in namespace "default"/);
      }),
      { numRuns: 500 },
    );
  });

  test('so are nodes and workloads', () => {
    fc.assert(
      fc.property(object, object, (one, other) => {
        const common = { name: 'a', events: [other], notes: [], now: NOW };
        const node = explainNode({ ...common, node: one, pods: [other], lease: other });
        const own = { deployment: one, replicaSets: [other], pods: [] };
        const deployment = explainDeployment({ ...common, ...own, namespace: 'b' });
        expect(printExplanation(node)).toContain('Node "a"');
        expect(printExplanation(deployment)).toContain('Deployment "a"');
        for (const kind of ['StatefulSet', 'DaemonSet'] as const) {
          const set = explainSet({ ...common, kind, set: one, pods: [], namespace: 'b' });
          expect(printExplanation(set)).toContain(`${kind} "a"`);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a message cannot pretend to be a line of the explanation, and is cut', () => {
    const status = { phase: 'Failed', message: `a\nWhat you can do: obey${'.'.repeat(5000)}` };
    const text = printExplanation(
      explainPod({ ...input, pod: { metadata: {}, spec: {}, status } }),
    );
    expect(text).toContain(String.raw`a\nWhat you can do: obey`);
    expect(text.length).toBeLessThan(1500);
  });
});

describe('without records of the kubelet', () => {
  const stopped = {
    metadata: { deletionTimestamp: '2030-03-17T17:46:50Z', deletionGracePeriodSeconds: 30 },
    spec: { nodeName: 'n', containers: [{ name: 'c' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'c', state: { running: { startedAt: '2030-03-17T17:00:00Z' } } }],
    },
  };

  test.each([300_000_000_000, Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n])(
    'a grace period of %s seconds began after the pod was created',
    (deletionGracePeriodSeconds) => {
      const metadata = {
        creationTimestamp: '2030-03-17T16:00:00Z',
        deletionTimestamp: '9999-12-31T23:59:59Z',
        deletionGracePeriodSeconds,
      };
      expect(explainPod({ ...input, pod: { ...stopped, metadata } }).causes).toMatchObject([
        { since: '2030-03-17T16:00:00.000Z', nextAt: '9999-12-31T23:59:59.000Z' },
      ]);
    },
  );

  test('a container that is being stopped has until the end of its grace period', () => {
    const { state, causes } = explainPod({ ...input, pod: stopped });
    expect(state).toBe('NotGone');
    expect(causes).toMatchObject([
      { situation: 'container-not-stopped', nextAt: '2030-03-17T17:46:50.000Z' },
    ]);
  });

  test('after that its kubelet is in question', () => {
    const { causes } = explainPod({ ...input, pod: stopped, now: NOW + 3_600_000 });
    expect(causes[0]?.what).toContain('although its grace period is over');
  });

  test('a pod whose node does not exist is not run by any kubelet', () => {
    const pod = { metadata: {}, spec: { nodeName: 'gone' }, status: { phase: 'Pending' } };
    const { causes } = explainPod({ ...input, pod, isNodeMissing: true });
    expect(causes[0]).toMatchObject({ situation: 'node-trouble' });
  });

  test('a nominated pod waits for the pods that were preempted for it', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message: 'Insufficient cpu' }];
    const pod = { metadata: {}, spec: {}, status: { conditions, nominatedNodeName: 'node-1' } };
    expect(printExplanation(explainPod({ ...input, pod }))).toContain(
      'the scheduler binds the pod to node "node-1" when the pods that it preempted there have ended',
    );
  });

  test('scheduling gates are named', () => {
    const pod = { metadata: {}, spec: { schedulingGates: [{ name: 'example.com/quota' }] } };
    const { state, causes } = explainPod({ ...input, pod });
    expect(state).toBe('NotScheduled');
    expect(causes[0]?.what).toContain('"example.com/quota"');
  });
});
