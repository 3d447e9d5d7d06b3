/**
 * Small scenes of the eviction machine whose effects neither the recordings nor the simulation show:
 * what is logged, what is counted, and how a round ends. Unit tests and mutants share them.
 */
import type { Pod } from '../../src/api/pod.ts';
import {
  decide,
  initial,
  type Effect,
  type Event,
  type EvictionPolicy,
  type State,
} from '../../src/core/eviction/eviction-machine.ts';
import { evictionText } from '../../src/core/eviction/eviction-message.ts';
import { withContainerFsThresholds } from '../../src/core/eviction/file-system-layout.ts';
import { localStorageLimits } from '../../src/core/eviction/local-storage-limits.ts';
import { updatedThresholds, type Observations } from '../../src/core/eviction/observation.ts';
import { parseEvictionSettings } from '../../src/core/eviction/threshold-settings.ts';
import {
  diskUsage,
  hasPodLevelResources,
  localVolumes,
  requestedOf,
  type EvictionCandidate,
} from '../../src/core/eviction/pod-usage.ts';

export interface EvictionScene {
  readonly name: string;
  readonly play: () => unknown;
  readonly expected: unknown;
}

const POLICY: EvictionPolicy = {
  thresholds: parseEvictionSettings({
    hard: { 'memory.available': '100Mi', 'nodefs.available': '1Gi' },
  }),
  transitionMs: 1000,
  maxPodGraceSeconds: 0,
  layout: 'single',
};
const REST = { type: 'rest', isAtOnce: false };
const AGE = { type: 'countStatsAge', signal: 'memory.available', atMs: 5000 };
const MESSAGE =
  'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ';

const plain = podOf('plain', 0);
const critical = podOf('critical', 2_000_000_000);
const node = podOf('node', 2_000_001_000);

const ROUNDS: readonly EvictionScene[] = [
  {
    name: 'a hard threshold of memory: nothing can be reclaimed, so pods are measured at once',
    play: () => untilRanking(5000).effects,
    expected: [
      { type: 'setPressures', pressures: ['MemoryPressure'] },
      { type: 'checkLimits' },
      { type: 'recordThresholdMet', message: 'Attempting to reclaim memory' },
      { type: 'measure', resource: 'memory' },
    ],
  },
  {
    name: 'nothing is known of pods',
    play: () => measured(null),
    expected: [{ type: 'report', problem: 'usageUnknown', pod: null }, REST],
  },
  {
    name: 'there is no pod',
    play: () => measured([]),
    expected: [{ type: 'report', problem: 'noActivePods', pod: null }, REST],
  },
  {
    name: 'only critical pods are left',
    play: () => measured([using(critical, 2), using(node, 1)]),
    expected: [
      AGE,
      { type: 'report', problem: 'criticalPod', pod: critical },
      { type: 'report', problem: 'criticalPod', pod: node },
      { type: 'report', problem: 'noPodEvicted', pod: null },
      REST,
    ],
  },
  {
    name: 'a critical pod is named before the one that goes in its place, and none after it',
    play: () => measured([using(node, 0), using(plain, 0), using(critical, 2)]),
    expected: [
      AGE,
      { type: 'report', problem: 'criticalPod', pod: critical },
      {
        type: 'evict',
        message: MESSAGE,
        annotations: {
          offending_containers: '',
          offending_containers_usage: '',
          starved_resource: 'memory',
        },
        pod: plain,
        signal: 'memory.available',
        graceSeconds: 1,
      },
    ],
  },
  {
    name: 'a critical pod after the one that goes is not named',
    play: () => measured([using(plain, 2), using(critical, 0)]).map(({ type }) => type),
    expected: ['countStatsAge', 'evict'],
  },
  {
    name: 'a measurement without a time has no age',
    play: () => measured([using(critical, 2)], null).slice(0, 1),
    expected: [{ type: 'report', problem: 'criticalPod', pod: critical }],
  },
  {
    name: 'the next round follows at once when the evicted pod is gone',
    play: () => run([{ type: 'killed' }, { type: 'cleaned' }], evicting()).effects,
    expected: [
      { type: 'awaitCleanup', pods: [plain] },
      { type: 'rest', isAtOnce: true },
    ],
  },
  {
    name: 'a round that cannot be finished rests until the next one',
    play: () => run([{ type: 'interrupted' }], evicting()).effects,
    expected: [REST],
  },
  {
    name: 'an observation before pods are known',
    play: () => run([observed(5000, false)], initial).effects,
    expected: [{ type: 'setPressures', pressures: ['MemoryPressure'] }, REST],
  },
];

const MEMORY = [
  'memory.available',
  { available: 50 * 2 ** 20, capacity: 2 ** 33, atMs: 1 },
] as const;
const DISK = ['nodefs.available', { available: 2 ** 20, capacity: 2 ** 33, atMs: 1 }] as const;

/** The rules that a round applies, one by one. */
const RULES: readonly EvictionScene[] = [
  {
    name: 'the message has the threshold of the starved resource, and of one that was observed',
    play: () => [
      textOf('ephemeral-storage', new Map([MEMORY, DISK])),
      textOf('memory', new Map([DISK])),
    ],
    expected: [
      'The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 1Mi. ',
      'The node was low on resource: memory. ',
    ],
  },
  {
    name: 'the message names containers of the spec that use more than they request, and no other',
    play: () => {
      const requests = { memory: '1Mi' };
      const spec = {
        containers: ['at', 'above', 'unknown'].map((name) => ({ name, resources: { requests } })),
      };
      const used = [
        ['at', 2 ** 20],
        ['above', 2 ** 21],
        ['unknown', null],
        ['strange', 2 ** 21],
      ] as const;
      const containers = used.map(([name, memoryBytes]) => ({
        name,
        memoryBytes,
        rootfs: null,
        logs: null,
      }));
      const stats = { memoryBytes: 1, processes: 1, containers, volumes: [] };
      return evictionText({ pod: { metadata: {}, spec }, stats }, 'memory', [], new Map()).message;
    },
    expected:
      'The node was low on resource: memory. Container above was using 2Mi, request is 1Mi, has larger consumption of memory. ',
  },
  {
    name: 'a pod is named as a whole only if it requests memory as a whole',
    play: () =>
      [{ cpu: '1' }, { memory: '1Mi' }, undefined].map((requests) => {
        const spec = { containers: [], ...(requests && { resources: { requests } }) };
        const pod = { metadata: { name: 'p' }, spec };
        const stats = { memoryBytes: 2 ** 21, processes: 1, containers: [], volumes: [] };
        return evictionText({ pod, stats }, 'memory', [], new Map()).message.includes(
          'Pod p was using 2Mi',
        );
      }),
    expected: [false, true, false],
  },
  {
    name: 'thresholds of containerfs are those of its file system, and configured ones are refused',
    play: () => {
      const settings = {
        hard: {
          'nodefs.available': '1Gi',
          'nodefs.inodesFree': '5%',
          'imagefs.available': '2Gi',
          'containerfs.available': '3Gi',
        },
        soft: { 'containerfs.inodesFree': '5%' },
        softGraceMs: { 'containerfs.inodesFree': 1 },
      };
      const all = parseEvictionSettings(settings);
      return (['single', 'dedicated'] as const).map((layout) => {
        const { thresholds, warnings } = withContainerFsThresholds(all, layout);
        return [...thresholds.map(({ signal }) => signal), ...warnings];
      });
    },
    expected: [['containerfs.available', 'containerfs.inodesFree'], ['containerfs.available']].map(
      (derived) => [
        'nodefs.available',
        'nodefs.inodesFree',
        'imagefs.available',
        ...derived,
        'found containerfs.available for hard eviction. ignoring',
        'found containerfs.inodesFree for soft eviction. ignoring',
      ],
    ),
  },
  {
    name: 'a pod without limits is not measured, and volumes in memory only for their own limit',
    play: () => {
      const measured = (spec: object): unknown => {
        const limits = localStorageLimits({ metadata: {}, spec: { containers: [], ...spec } });
        return limits && limits.measured.map(({ name }) => name);
      };
      const memory = { name: 'memory', emptyDir: { medium: 'Memory' } };
      const free = { name: 'free', emptyDir: {} };
      const limited = { name: 'limited', emptyDir: { sizeLimit: '1Mi' } };
      const resources = { limits: { 'ephemeral-storage': '1Mi' } };
      return [
        measured({ volumes: [memory, free] }),
        measured({ volumes: [memory, free, limited] }),
        measured({ volumes: [memory, free], containers: [{ name: 'main', resources }] }),
      ];
    },
    expected: [null, ['limited'], ['free']],
  },
  {
    name: 'the overhead of a pod counts only where it requests something',
    play: () =>
      ['1Mi', undefined].map((memory) => {
        const requests = memory === undefined ? {} : { memory };
        const spec = { containers: [{ name: 'main', resources: { requests } }] };
        const pod = { metadata: {}, spec: { ...spec, overhead: { memory: '1Mi' } } };
        return requestedOf(pod, 'memory').nanos / 1_000_000_000n;
      }),
    expected: [2n ** 21n, 0n],
  },
  {
    name: 'pod-level resources are cpu, memory and huge pages, as requests or as limits',
    play: () => {
      const lists = [{ cpu: '1' }, { memory: '1' }, { 'hugepages-2Mi': '1' }, { other: '1' }, {}];
      const pods = lists.flatMap((list) => [{ requests: list }, { limits: list }]);
      return pods.map((resources) =>
        hasPodLevelResources({ metadata: {}, spec: { containers: [], resources } }),
      );
    },
    expected: [true, true, true, true, true, true, false, false, false, false],
  },
  {
    name: 'with pod-level resources the requests of containers do not count',
    play: () => {
      const requests = { memory: '1Mi', other: '5' };
      const own = { requests: { memory: '4Mi', other: '6' } };
      const pod = {
        metadata: {},
        spec: { containers: [{ name: 'main', resources: own }], resources: { requests } },
      };
      return ['memory', 'other'].map((name) => requestedOf(pod, name).nanos / 1_000_000_000n);
    },
    expected: [2n ** 20n, 0n],
  },
  {
    name: 'a pod of which nothing is known uses no disk',
    play: () => diskUsage({ pod: plain, stats: null }, ['logs'], 'bytes'),
    expected: 0,
  },
  {
    name: 'volumes on the disk of the node: host paths, disks, ConfigMaps and repositories',
    play: () => {
      const volumes = [
        { name: 'host', hostPath: { path: '/' } },
        { name: 'config', configMap: {} },
        { name: 'git', gitRepo: {} },
        { name: 'empty', emptyDir: {} },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
        { name: 'secret', secret: {} },
      ];
      const spec = { containers: [], volumes };
      return [...localVolumes({ metadata: {}, spec })];
    },
    expected: ['host', 'config', 'git', 'empty'],
  },
  {
    name: 'the smallest and the largest threshold, and a grace period of nothing, are accepted',
    play: () => {
      const settings = {
        hard: { 'memory.available': '0.0%', 'nodefs.available': '100.0%' },
        soft: { 'memory.available': '1Mi' },
        softGraceMs: { 'memory.available': 0 },
      };
      return parseEvictionSettings(settings).map(({ graceMs }) => graceMs);
    },
    expected: [0, 0, 0],
  },
  {
    name: 'an amount that is none is refused in plain words',
    play: () => {
      try {
        return parseEvictionSettings({ hard: { 'memory.available': 'much' } });
      } catch (error) {
        return error instanceof Error && /^[a-z]/.test(error.message);
      }
    },
    expected: true,
  },
  {
    name: 'a signal that is not observed is not new, and one without a time always is',
    play: () => {
      const unknown = new Map([
        ['memory.available', { available: 1, capacity: 1, atMs: null }] as const,
      ]);
      const known = new Map([MEMORY]);
      return [
        updatedThresholds(POLICY.thresholds, new Map(), known).length,
        updatedThresholds(POLICY.thresholds, known, new Map()).length,
        updatedThresholds(POLICY.thresholds, known, known).length,
        updatedThresholds(POLICY.thresholds, unknown, known).length,
        updatedThresholds(POLICY.thresholds, known, unknown).length,
      ];
    },
    expected: [0, 1, 0, 1, 1],
  },
];

export const EVICTION_SCENES: readonly EvictionScene[] = [...ROUNDS, ...RULES];

function textOf(resource: 'memory' | 'ephemeral-storage', observations: Observations): string {
  return evictionText({ pod: plain, stats: null }, resource, POLICY.thresholds, observations)
    .message;
}

function podOf(name: string, priority: number): Pod {
  const spec = { containers: [{ name: 'main' }], priority };
  return { metadata: { name, uid: name }, spec };
}

function using(pod: Pod, gibibytes: number): EvictionCandidate {
  const memoryBytes = gibibytes * 2 ** 30;
  return { pod, stats: { memoryBytes, processes: 1, containers: [], volumes: [] } };
}

function observed(atMs: number | null, mayAct: boolean): Event {
  const memory = { available: 50 * 2 ** 20, capacity: 2 ** 33, atMs };
  const observations = new Map([['memory.available', memory] as const]);
  return { type: 'observed', observations, nowMs: 0, mayAct };
}

function untilRanking(atMs: number | null) {
  return run([observed(atMs, true), { type: 'limitsChecked', evicted: [] }], initial);
}

function measured(
  candidates: readonly EvictionCandidate[] | null,
  atMs: number | null = 5000,
): readonly Effect[] {
  return run([{ type: 'measured', candidates }], untilRanking(atMs).state).effects;
}

function evicting(): State {
  const event: Event = { type: 'measured', candidates: [using(plain, 1)] };
  return run([event], untilRanking(5000).state).state;
}

function run(events: readonly Event[], from: State) {
  const effects: Effect[] = [];
  let state = from;
  for (const event of events) {
    const decision = decide(state, event, POLICY);
    state = decision.state;
    effects.push(...decision.effects);
  }
  return { state, effects };
}
