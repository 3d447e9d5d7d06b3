/**
 * Pods, statuses and runtimes as they could be, for property tests.
 *
 * Names come from small pools, so that specs, statuses and runtime records match; now and then one names
 * an unknown container. Everything is frozen: a function that writes into its input throws, whatever the
 * property is about.
 */
import * as fc from 'fast-check';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
} from '../../src/api/pod.ts';
import type { ResourceList, ResourceRequirements } from '../../src/api/resources.ts';
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from '../../src/api/runtime-pod.ts';
import type { PodActionsView } from '../../src/core/pod-actions/plan.ts';
import type { PodStatusView } from '../../src/core/pod-status/pod-status.ts';
import type { ProbeResult } from '../../src/core/pod-status/probe-status.ts';
import { deepFreeze } from './deep-freeze.ts';
import { NOW } from './pod-parts.ts';
import { SANDBOX } from './runtime-parts.ts';

/** How often each property is tried; `PROPERTY_RUNS=10000` tries harder. */
export const PROPERTY = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 100) };

const INIT = ['i', 'j', 'k'];
const REGULAR = ['a', 'b', 'c'];
const EPHEMERAL = ['e', 'f'];
const STRANGER = 'stranger';

const OWNED = [
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
];
const FOREIGN = ['example.com/a', 'example.com/b', 'constructor'];
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;

/** A record whose fields may each be missing, save those that are required. */
function sometimes<T extends object>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) {
  return fc.record(fields, { requiredKeys: [] });
}

const policies = fc.constantFrom('Always', 'OnFailure', 'Never');
const rarely = fc.constantFrom(false, false, false, true);
const exitCodes = fc.constantFrom(0, 0, 1, 42, 137);

/** Around the time of tests, some with fractions and in other zones. */
export const times: fc.Arbitrary<string> = fc
  .tuple(fc.nat(59), fc.constantFrom('', '.5', '.999999999'), fc.constantFrom('Z', '+01:00'))
  .map(([second, fraction, zone]) => {
    return `2026-01-02T03:00:${String(second).padStart(2, '0')}${fraction}${zone}`;
  });

const resourceLists: fc.Arbitrary<ResourceList> = sometimes({
  cpu: fc.constantFrom('0', '1m', '250m', '1', '1000m'),
  memory: fc.constantFrom('0', '64Mi', '1Gi', '1073741824'),
});

const requirements: fc.Arbitrary<ResourceRequirements> = sometimes({
  requests: resourceLists,
  limits: resourceLists,
});

function containerOf(name: string): fc.Arbitrary<Container> {
  const rules = fc.array(
    fc.record({
      action: fc.constantFrom('Restart', 'RestartAllContainers'),
      exitCodes: fc.record({
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(exitCodes, { maxLength: 2 }),
      }),
    }),
    { maxLength: 2 },
  );
  return fc.record(
    {
      name: fc.constant(name),
      image: fc.constantFrom('app:1', 'app:2'),
      restartPolicy: policies,
      restartPolicyRules: rules,
      resources: requirements,
      resizePolicy: fc.constantFrom([], [], [
        { resourceName: 'cpu', restartPolicy: 'RestartContainer' },
      ] as const),
      livenessProbe: fc.constant({}),
      readinessProbe: fc.constant({}),
      startupProbe: fc.constant({}),
    },
    { requiredKeys: ['name'] },
  );
}

function containersOf(names: readonly string[], minLength = 0): fc.Arbitrary<Container[]> {
  return fc
    .shuffledSubarray([...names], { minLength })
    .chain((chosen) => fc.tuple(...chosen.map(containerOf)));
}

const specs: fc.Arbitrary<PodSpec> = fc.record(
  {
    containers: containersOf(REGULAR, 1),
    initContainers: containersOf(INIT),
    ephemeralContainers: containersOf(EPHEMERAL),
    restartPolicy: policies,
    activeDeadlineSeconds: fc.nat(600),
    hostNetwork: rarely,
    readinessGates: fc.constantFrom([], [{ conditionType: 'example.com/a' }]),
    overhead: resourceLists,
    resources: requirements,
  },
  { requiredKeys: ['containers'] },
);

/** Words, some of them long and of several scripts. */
const messages = fc.oneof(
  fc.constantFrom('', 'oops'),
  fc
    .tuple(fc.constantFrom('x', 'é', '日', '😀', '日a'), fc.integer({ min: 1000, max: 9000 }))
    .map(([text, count]) => text.repeat(count)),
);

const states: fc.Arbitrary<ContainerState> = fc.oneof(
  fc.constantFrom({}, { waiting: {} }, { waiting: { reason: 'ContainerCreating' } }),
  fc.record({ running: sometimes({ startedAt: fc.option(times) }) }),
  fc.record({
    terminated: fc.record(
      {
        exitCode: exitCodes,
        reason: fc.constantFrom('Error', 'OOMKilled', 'RestartingAllContainers'),
        message: messages,
        startedAt: fc.option(times),
        finishedAt: fc.option(times),
      },
      { requiredKeys: ['exitCode'] },
    ),
  }),
);

function containerStatusOf(name: string): fc.Arbitrary<ContainerStatus> {
  return fc.record(
    {
      name: fc.constant(name),
      state: states,
      lastState: states,
      ready: fc.boolean(),
      started: fc.option(fc.boolean()),
      restartCount: fc.nat(3),
      image: fc.constantFrom('app:1', 'app:2'),
      containerID: fc.constantFrom(`test://${name}-1`, `test://${name}-2`),
      resources: requirements,
    },
    { requiredKeys: ['name'] },
  );
}

function containerStatusesOf(names: readonly string[]): fc.Arbitrary<ContainerStatus[]> {
  return fc
    .shuffledSubarray([...names, STRANGER])
    .chain((chosen) => fc.tuple(...chosen.map(containerStatusOf)));
}

function conditionsOf(types: readonly string[]): fc.Arbitrary<PodCondition[]> {
  const conditionOf = (type: string): fc.Arbitrary<PodCondition> =>
    fc.record(
      {
        type: fc.constant(type),
        status: fc.constantFrom('True', 'False', 'Unknown'),
        reason: fc.constantFrom('', 'Odd'),
        message: fc.constantFrom('', 'odd'),
        lastProbeTime: fc.option(times),
        lastTransitionTime: fc.option(times),
        observedGeneration: fc.nat(3),
      },
      { requiredKeys: ['type', 'status'] },
    );
  return fc.shuffledSubarray([...types]).chain((chosen) => fc.tuple(...chosen.map(conditionOf)));
}

/**
 * Conditions in the order in which podkeep builds them (KL-27): those of others, then the shared
 * one, then its own.
 */
const orderedConditions = fc
  .tuple(conditionsOf(FOREIGN), conditionsOf(['DisruptionTarget']), conditionsOf(OWNED))
  .map((lists) => lists.flat());

function statusesWith(conditions: fc.Arbitrary<PodCondition[]>): fc.Arbitrary<PodStatus> {
  return sometimes({
    observedGeneration: fc.nat(3),
    phase: fc.constantFrom(...PHASES),
    reason: fc.constantFrom('', 'Evicted'),
    message: fc.constantFrom('', 'low on memory'),
    conditions,
    hostIP: fc.constant('192.168.0.1'),
    podIP: fc.constant('10.0.0.1'),
    podIPs: fc.constantFrom([], [{ ip: '10.0.0.1' }]),
    startTime: fc.option(times),
    qosClass: fc.constantFrom('Burstable', 'Guaranteed'),
    containerStatuses: containerStatusesOf(REGULAR),
    initContainerStatuses: containerStatusesOf(INIT),
    ephemeralContainerStatuses: containerStatusesOf(EPHEMERAL),
    allocatedResources: resourceLists,
    resources: requirements,
    resourceClaimStatuses: fc.constantFrom([], [{ name: 'gpu' }]),
  });
}

/** Any status, its conditions in any order. */
export const statuses: fc.Arbitrary<PodStatus> = statusesWith(
  conditionsOf([...OWNED, ...FOREIGN, 'DisruptionTarget']),
).map(deepFreeze);

/** A status as podkeep makes it: its conditions in their usual order. */
export const ownStatuses: fc.Arbitrary<PodStatus> = statusesWith(orderedConditions).map(deepFreeze);

export const pods: fc.Arbitrary<Pod> = fc
  .record(
    {
      metadata: fc.record(
        {
          name: fc.constant('web'),
          namespace: fc.constant('default'),
          uid: fc.constant('uid-1'),
          generation: fc.nat(3),
          deletionTimestamp: fc.option(times),
          annotations: fc.constantFrom({}, { 'kubernetes.io/config.source': 'file' }),
        },
        { requiredKeys: ['name', 'namespace', 'uid'] },
      ),
      spec: specs,
      status: statuses,
    },
    { requiredKeys: ['metadata', 'spec'] },
  )
  .map(deepFreeze);

/** The records of one container, newest first: only the newest can be other than exited. */
function recordsOf(name: string): fc.Arbitrary<RuntimeContainer[]> {
  const record = (index: number): fc.Arbitrary<RuntimeContainer> =>
    fc.record(
      {
        id: fc.constant(`test://${name}-${index}`),
        name: fc.constant(name),
        state:
          index === 2
            ? fc.constantFrom('created', 'running', 'running', 'exited', 'exited', 'unknown')
            : fc.constant('exited'),
        sandboxID: fc.constantFrom(SANDBOX.id, 'sandbox-0'),
        restartCount: fc.nat(3),
        image: fc.constant('app:1'),
        imageRef: fc.constant('app@sha256:1'),
        createdAt: fc.constant(`2026-01-02T0${index}:00:00Z`),
        startedAt: times,
        finishedAt: times,
        exitCode: exitCodes,
        reason: fc.constantFrom('Error', 'OOMKilled'),
        message: messages,
      },
      {
        requiredKeys: ['id', 'name', 'state', 'restartCount', 'image', 'imageRef', 'createdAt'],
      },
    );
  return fc
    .tuple(record(2), record(1), record(0), fc.integer({ min: 0, max: 3 }))
    .map(([newest, older, oldest, count]) => [newest, older, oldest].slice(0, count));
}

/** Mostly one that is fine, or nothing would ever be started in it. */
const sandboxes: fc.Arbitrary<readonly RuntimeSandbox[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([SANDBOX]) },
  fc.array(
    fc.record({
      id: fc.constantFrom(SANDBOX.id, 'sandbox-0'),
      attempt: fc.nat(2),
      ready: fc.boolean(),
      hostNetwork: fc.boolean(),
      ip: fc.constantFrom('', '10.0.0.1'),
    }),
    { maxLength: 2 },
  ),
);

export const runtimes: fc.Arbitrary<RuntimePod> = fc
  .record({
    sandboxes,
    containers: fc
      .tuple(...[...INIT, ...REGULAR, ...EPHEMERAL, STRANGER].map(recordsOf))
      .map((lists) => lists.flat()),
    ips: fc.constantFrom([], ['10.0.0.1'], ['fd00::1', '10.0.0.1'], ['nonsense']),
  })
  .map(deepFreeze);

const results: fc.Arbitrary<ProbeResult> = fc.constantFrom('success', 'failure', 'unknown');
const newestIds = [...INIT, ...REGULAR].map((name) => `test://${name}-2`);
const resultsById: fc.Arbitrary<ReadonlyMap<string, ProbeResult>> = fc
  .dictionary(fc.constantFrom(...newestIds), results, { maxKeys: 3 })
  .map((byId) => new Map(Object.entries(byId)));
const watchedNames = fc.subarray([...INIT, ...REGULAR]).map((names) => new Set(names));

/** Everything that a pod's status is made from. */
export const statusViews: fc.Arbitrary<PodStatusView> = fc
  .record({
    pod: pods,
    lastReported: fc.option(ownStatuses, { nil: undefined }),
    runtime: runtimes,
    isTerminal: fc.boolean(),
    startFailures: fc
      .subarray([...INIT, ...REGULAR, ...EPHEMERAL])
      .map(
        (names) =>
          new Map(names.map((name) => [name, { reason: 'CrashLoopBackOff', message: 'back-off' }])),
      ),
    probes: fc.record({
      startup: resultsById,
      readiness: resultsById,
      startupProbed: watchedNames,
      readinessProbed: watchedNames,
      since: times,
    }),
    resizeConditions: conditionsOf(['PodResizePending', 'PodResizeInProgress']),
    hostIPs: fc.constantFrom([], ['192.168.0.1'], ['fd00::2', '192.168.0.1']),
    supportsRecursiveReadOnly: fc.boolean(),
    now: fc.constant(NOW),
  })
  .map(deepFreeze);

/** Everything that the plan of a sync is made from. */
export const actionsViews: fc.Arbitrary<PodActionsView> = fc
  .record({
    pod: pods,
    runtime: runtimes,
    restartAllContainers: rarely,
    changed: fc.oneof(
      { weight: 3, arbitrary: fc.constant(new Set<string>()) },
      fc.subarray(newestIds).map((ids) => new Set(ids)),
    ),
    liveness: resultsById,
    startup: resultsById,
    actuated: fc.option(
      fc.record({
        containers: fc
          .dictionary(fc.constantFrom(...INIT, ...REGULAR), requirements)
          .map((byName) => new Map(Object.entries(byName))),
        pod: fc.option(requirements, { nil: undefined }),
      }),
      { nil: undefined },
    ),
  })
  .map(deepFreeze);
