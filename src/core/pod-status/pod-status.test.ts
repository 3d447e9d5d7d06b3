import { describe, expect, test } from 'vitest';
import type { Pod, PodPhase, PodStatus } from '../../api/pod.ts';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import {
  condition,
  container,
  EARLIER,
  LATER,
  podOf,
  restartRule,
  sidecar,
} from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf, SANDBOX } from '../../../test/support/runtime-parts.ts';
import { probeView, statusView } from '../../../test/support/views.ts';
import { podStatus, type PodStatusView } from './pod-status.ts';

const runs = runtimeOf([observed('c', 'running', { startedAt: EARLIER })]);

function statusOf(pod = podOf(), view: Partial<PodStatusView> = {}): PodStatus {
  return podStatus(deepFreeze(statusView(pod, view)));
}

function typesOf({ conditions = [] }: PodStatus): readonly string[] {
  return conditions.map(({ type }) => type);
}

function readyConditionOf(type: string, { conditions = [] }: PodStatus): string | undefined {
  return conditions.find((candidate) => candidate.type === type)?.status;
}

test('a pod whose only container runs', () => {
  expect(statusOf(podOf({}, { metadata: { generation: 2 } }), { runtime: runs })).toEqual({
    phase: 'Running',
    qosClass: 'BestEffort',
    resources: {},
    conditions: [
      condition('PodReadyToStartContainers', 'True', { observedGeneration: 2 }),
      condition('Initialized', 'True', { observedGeneration: 2 }),
      condition('Ready', 'True', { observedGeneration: 2 }),
      condition('ContainersReady', 'True', { observedGeneration: 2 }),
      condition('PodScheduled', 'True', { observedGeneration: 2 }),
    ],
    containerStatuses: [
      {
        name: 'c',
        state: { running: { startedAt: EARLIER } },
        lastState: {},
        ready: true,
        started: true,
        restartCount: 0,
        image: 'app:1',
        imageID: 'app@sha256:1',
        containerID: 'test://c',
        resources: {},
      },
    ],
    hostIP: '192.168.0.1',
    hostIPs: [{ ip: '192.168.0.1' }],
    podIP: '10.0.0.1',
    podIPs: [{ ip: '10.0.0.1' }],
  });
});

describe('KL-21: the lists of containers', () => {
  test('each kind has its own, and a pod without some has no such list', () => {
    const pod = podOf({
      initContainers: [container('i')],
      ephemeralContainers: [container('e')],
    });
    const status = statusOf(pod);
    expect(status.initContainerStatuses?.map(({ name }) => name)).toEqual(['i']);
    expect(status.ephemeralContainerStatuses?.map(({ name }) => name)).toEqual(['e']);
    expect(statusOf()).not.toHaveProperty('initContainerStatuses');
    expect(statusOf()).not.toHaveProperty('ephemeralContainerStatuses');
  });

  test('init containers stand as in the spec, and one without a record has succeeded (E-23)', () => {
    const pod = podOf({ initContainers: [container('j'), container('i')] });
    const status = statusOf(pod, { runtime: runs });
    expect(status.initContainerStatuses).toMatchObject([
      { name: 'j', state: { terminated: { reason: 'Completed' } } },
      { name: 'i', state: { terminated: { reason: 'Completed' } } },
    ]);
    expect(status.phase).toBe('Running');
  });

  test('init containers count for Initialized, and sidecars for Ready', () => {
    const pod = podOf({ initContainers: [container('i'), sidecar('s')] });
    const records = [exited('i', 0), observed('s', 'running')];
    const probes = probeView({ readinessProbed: new Set(['s']) });
    const status = statusOf(pod, { runtime: runtimeOf(records), probes });
    expect(readyConditionOf('Initialized', status)).toBe('True');
    expect(status.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      'containers with unready status: [s c]',
    );
  });

  test('regular and init containers decide the phase, ephemeral ones do not', () => {
    const pod = podOf({ ephemeralContainers: [container('e')] });
    expect(statusOf(pod, { runtime: runs }).phase).toBe('Running');
  });

  test('E-22: a sidecar that starts again does not make an initialised pod pending', () => {
    const pod = podOf({ initContainers: [sidecar('s')] });
    const startupProbed = new Set(['s']);
    const probes = probeView({ startupProbed });
    const runtime = runtimeOf([observed('s', 'running'), observed('c', 'running')]);
    expect(statusOf(pod, { runtime, probes }).phase).toBe('Running');
    const elsewhere = runtimeOf([
      observed('s', 'running'),
      observed('c', 'running', { sandboxID: 'sandbox-0' }),
    ]);
    expect(statusOf(pod, { runtime: elsewhere, probes }).phase).toBe('Pending');
  });
});

describe('KL-20: the last reported status takes precedence over the API’s', () => {
  test('an end that the API does not have yet is kept', () => {
    const api = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
    const lastReported = {
      containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 3 } } }],
    };
    const pod = podOf({ restartPolicy: 'Never' }, { status: api });
    const status = statusOf(pod, { lastReported, runtime: runtimeOf() });
    expect(status.containerStatuses?.[0]?.state).toEqual({ terminated: { exitCode: 3 } });
    expect(statusOf(pod).containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(137);
  });
});

describe('KL-22, KL-25: a pod that was terminal stays so', () => {
  const over = (phase: PodPhase): PodStatus => ({ phase });

  test.each(['Succeeded', 'Failed'] as const)('%s, as the API has it', (phase) => {
    expect(statusOf(podOf({}, { status: over(phase) }), { runtime: runs }).phase).toBe(phase);
  });

  test.each(['Succeeded', 'Failed'] as const)('%s, as podkeep reported it', (phase) => {
    expect(statusOf(podOf(), { lastReported: over(phase), runtime: runs }).phase).toBe(phase);
  });

  test('and the reason that the API has for it stays too', () => {
    const evicted = { phase: 'Failed', reason: 'Evicted', message: 'low on memory' } as const;
    expect(statusOf(podOf({}, { status: evicted }), { runtime: runs })).toMatchObject(evicted);
  });

  test('if podkeep and the API differ, the API wins', () => {
    const pod = podOf({}, { status: over('Succeeded') });
    expect(statusOf(pod, { lastReported: over('Failed'), runtime: runs }).phase).toBe('Succeeded');
  });

  test('a computed terminal phase takes precedence over a reported one', () => {
    const pod = podOf({ restartPolicy: 'Never' });
    const runtime = runtimeOf([exited('c', 0)]);
    expect(statusOf(pod, { lastReported: over('Failed'), runtime }).phase).toBe('Succeeded');
    const api = podOf({ restartPolicy: 'Never' }, { status: over('Failed') });
    expect(statusOf(api, { runtime }).phase).toBe('Failed');
  });
});

describe('KL-23: reason and message', () => {
  const why = { reason: 'Odd', message: 'odd' };

  test('stay with the phase they belong to', () => {
    const status = statusOf(podOf(), { lastReported: { phase: 'Running', ...why }, runtime: runs });
    expect(status).toMatchObject(why);
  });

  test('disappear with it', () => {
    const status = statusOf(podOf(), { lastReported: { phase: 'Pending', ...why }, runtime: runs });
    expect(status).not.toHaveProperty('reason');
    expect(status).not.toHaveProperty('message');
  });

  test('each falls back to the API’s if podkeep reported none', () => {
    const pod = podOf({}, { status: { phase: 'Running', ...why } });
    const lastReported = { phase: 'Running', reason: 'Ours' } as const;
    expect(statusOf(pod, { lastReported, runtime: runs })).toMatchObject({
      reason: 'Ours',
      message: 'odd',
    });
  });
});

describe('KL-24: a pod past its deadline', () => {
  const late = { activeDeadlineSeconds: 60 };
  const exceeded = {
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  };
  const started = { phase: 'Running', startTime: EARLIER } as const;

  test('has failed, whatever runs', () => {
    expect(statusOf(podOf(late), { lastReported: started, runtime: runs })).toMatchObject(exceeded);
    expect(statusOf(podOf(late, { status: started }), { runtime: runs })).toMatchObject(exceeded);
  });

  test('is not Ready any more', () => {
    const status = statusOf(podOf(late), { lastReported: started, runtime: runs });
    expect(readyConditionOf('Ready', status)).toBe('False');
    expect(readyConditionOf('ContainersReady', status)).toBe('False');
  });

  test('is measured from the start time reported last', () => {
    const pod = podOf(late, { status: started });
    const lastReported = { ...started, startTime: LATER };
    expect(statusOf(pod, { lastReported, runtime: runs }).phase).toBe('Running');
  });

  test('KL-25: keeps the terminal phase that the API has', () => {
    const pod = podOf(late, { status: { phase: 'Succeeded', startTime: EARLIER } });
    expect(statusOf(pod).phase).toBe('Succeeded');
  });
});

describe('KL-26: probes', () => {
  test('are applied before the conditions are computed', () => {
    const probes = probeView({ readinessProbed: new Set(['c']) });
    const status = statusOf(podOf(), { runtime: runs, probes });
    expect(status.containerStatuses?.[0]?.ready).toBe(false);
    expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: 'containers with unready status: [c]',
    });
  });
});

describe('KL-27: conditions', () => {
  const foreign = condition('example.com/gate', 'True', { lastTransitionTime: EARLIER });
  const disrupted = (message: string) => condition('DisruptionTarget', 'True', { message });
  const pending = condition('PodResizePending', 'True', { reason: 'Deferred' });
  const OURS = [
    'PodReadyToStartContainers',
    'Initialized',
    'Ready',
    'ContainersReady',
    'PodScheduled',
  ];

  test('are in the kubelet’s order', () => {
    const pod = podOf(
      {
        containers: [
          container('c', { restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)] }),
        ],
      },
      { status: { conditions: [condition('Ready'), foreign] } },
    );
    const lastReported = { conditions: [disrupted('x')] };
    const status = statusOf(pod, { lastReported, resizeConditions: [pending] });
    expect(typesOf(status)).toEqual([
      'example.com/gate',
      'PodResizePending',
      'DisruptionTarget',
      ...OURS,
      'AllContainersRestarting',
    ]);
    expect(status.conditions?.[0]).toBe(foreign);
    expect(status.conditions?.[1]).toEqual(pending);
  });

  test('foreign ones are the API’s, not those of the last reported status', () => {
    const lastReported = { conditions: [foreign] };
    expect(typesOf(statusOf(podOf(), { lastReported }))).toEqual(OURS);
  });

  test('DisruptionTarget is podkeep’s if it has one, in the position of the API’s', () => {
    const pod = podOf({}, { status: { conditions: [disrupted('api'), foreign] } });
    const status = statusOf(pod, { lastReported: { conditions: [disrupted('said')] } });
    expect(status.conditions?.slice(0, 2)).toEqual([disrupted('said'), foreign]);
    expect(statusOf(pod, { lastReported: {} }).conditions?.[0]).toEqual(disrupted('api'));
  });

  test('of a resize disappear when the pod ends', () => {
    expect(typesOf(statusOf(podOf(), { resizeConditions: [pending], isTerminal: true }))).toEqual(
      OURS,
    );
  });

  test('SM-120: of a resize keep their generation, unless the pod has none', () => {
    const older = { ...pending, observedGeneration: 2 };
    const numbered = podOf({}, { metadata: { generation: 3 } });
    const conditionOf = (pod: Pod) =>
      statusOf(pod, { resizeConditions: [older] }).conditions?.find(
        ({ type }) => type === 'PodResizePending',
      );
    expect(conditionOf(numbered)).toBe(older);
    expect(conditionOf(podOf())).toStrictEqual(pending);
  });

  test('AllContainersRestarting is there only if the spec has such a rule', () => {
    expect(typesOf(statusOf())).toEqual(OURS);
  });

  test('KL-28: readiness gates see foreign ones', () => {
    const spec = { readinessGates: [{ conditionType: 'example.com/gate' }] };
    const open = podOf(spec, { status: { conditions: [foreign] } });
    expect(readyConditionOf('Ready', statusOf(open, { runtime: runs }))).toBe('True');
    const shut = statusOf(podOf(spec), { runtime: runs });
    expect(readyConditionOf('Ready', shut)).toBe('False');
    expect(readyConditionOf('ContainersReady', shut)).toBe('True');
  });

  test('KL-28: a gate may name only conditions before Ready', () => {
    const gated = (conditionType: string) => podOf({ readinessGates: [{ conditionType }] });
    expect(readyConditionOf('Ready', statusOf(gated('Initialized'), { runtime: runs }))).toBe(
      'True',
    );
    expect(readyConditionOf('Ready', statusOf(gated('PodScheduled'), { runtime: runs }))).toBe(
      'False',
    );
  });

  test('SM-118: without a sandbox nothing can be started', () => {
    const ready = (runtime: PodStatusView['runtime']) =>
      readyConditionOf('PodReadyToStartContainers', statusOf(podOf(), { runtime }));
    expect(ready(runs)).toBe('True');
    expect(ready(runtimeOf([], { sandboxes: [] }))).toBe('False');
    expect(ready(runtimeOf([], { sandboxes: [{ ...SANDBOX, ip: '' }] }))).toBe('False');
  });

  test('have no transition times: the status manager sets them', () => {
    for (const { lastTransitionTime } of statusOf().conditions ?? []) {
      expect(lastTransitionTime).toBeUndefined();
    }
  });
});

describe('resources', () => {
  const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
  const pod = podOf({ containers: [container('c', { resources })] });

  test('KL-29: the QoS class of a pod is computed, unless the API has it', () => {
    expect(statusOf(pod).qosClass).toBe('Guaranteed');
    const notified = { ...pod, status: { qosClass: 'Burstable' } } as const;
    expect(statusOf(notified).qosClass).toBe('Burstable');
  });

  test('the pod-level allocation is shown, if there is one', () => {
    expect(statusOf(pod).allocatedResources).toEqual({ cpu: '1', memory: '1Gi' });
    expect(statusOf(pod).resources).toEqual(resources);
    const cpuOnly = podOf({
      containers: [container('c', { resources: { requests: { cpu: '1' } } })],
    });
    expect(statusOf(cpuOnly).allocatedResources).toEqual({ cpu: '1' });
    expect(statusOf()).not.toHaveProperty('allocatedResources');
  });
});

test('E-7: while the whole pod restarts, containers that are gone wait to come back', () => {
  const rules = {
    restartPolicy: 'Never',
    restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)],
  } as const;
  const pod = podOf({
    containers: [container('a', rules), container('b')],
    restartPolicy: 'Never',
  });
  const lastReported: PodStatus = {
    phase: 'Running',
    containerStatuses: ['a', 'b'].map((name) => ({
      name,
      state: { running: {} },
      containerID: `test://${name}`,
    })),
  };
  const status = statusOf(pod, { lastReported, runtime: runtimeOf([exited('a', 42)]) });
  expect(status.phase).toBe('Running');
  expect(readyConditionOf('AllContainersRestarting', status)).toBe('True');
  expect(status.containerStatuses?.[1]).toMatchObject({
    state: { waiting: { reason: 'RestartingAllContainers' } },
    lastState: { terminated: { reason: 'RestartingAllContainers', exitCode: 137 } },
    restartCount: 1,
  });
});
