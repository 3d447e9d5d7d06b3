import { describe, expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Pod, PodStatus } from '../../api/pod.ts';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import type { PodDiskBytes, PodDiskRequest } from '../../ports/pod/pod-disk-usage.ts';
import type { ContainerStats } from '../../ports/runtime/stats.ts';
import type { KillPodOptions } from '../pod-workers/kill-pod-now.ts';
import { LocalStorageEviction } from './local-storage-eviction.ts';

interface Kill {
  readonly uid: string;
  readonly options: KillPodOptions;
  readonly settle: (error?: Error) => void;
}

function harness() {
  const clock = new VirtualClock();
  const world = {
    pods: [] as Pod[],
    isRunning: true,
    volumes: new Map<string, number>(),
    logBytes: 0,
    stats: async (): Promise<readonly ContainerStats[]> => [],
    isDedicated: false,
    terminated: new Set<string>(),
  };
  const [requests, kills]: [(readonly PodDiskRequest[])[], Kill[]] = [[], []];
  const [logged, recorded, counted]: string[][] = [[], [], []];
  const calls = { stats: 0, usage: 0, stop: 0 };
  const eviction = new LocalStorageEviction({
    log: {
      debug: () => {},
      info: () => {},
      warn: (message) => logged?.push(message),
      error: (message) => logged?.push(message),
    },
    events: {
      record: ({ name }, type, reason, message) =>
        recorded?.push(`${name} ${type} ${reason} ${message}`),
    },
    metrics: { podEvicted: (signal) => counted?.push(signal) },
    pods: { pods: () => world.pods },
    workers: {
      isPodKnownTerminated: (uid) => world.terminated.has(uid),
      isPodTerminationRequested: () => false,
    },
    status: { getPodStatus: () => undefined },
    peek: (uid) => {
      const state = world.isRunning ? 'running' : 'exited';
      const containers = world.pods
        .filter(({ metadata }) => metadata.uid === uid)
        .flatMap(({ spec }) => spec.containers)
        .map(({ name }) => ({ id: `id-${name}`, name, state }) as RuntimeContainer);
      return { sandboxes: [], containers, ips: [] };
    },
    runtime: {
      containerStats: () => {
        calls.stats += 1;
        return world.stats();
      },
    },
    hasDedicatedImageFs: async () => {
      calls.usage += 1;
      return world.isDedicated;
    },
    disk: {
      measure: async (asked): Promise<readonly PodDiskBytes[]> => {
        requests.push(asked);
        return asked.map(({ containers }) => ({
          volumes: world.volumes,
          logs: new Map(containers.map((name) => [name, world.logBytes])),
          otherBytes: 0,
        }));
      },
      isElsewhere: async () => false,
      stop: async () => {
        calls.stop += 1;
      },
    },
    killPod: ({ metadata: { uid = '' } }, options) =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error): void => (error ? reject(error) : resolve());
        kills.push({ uid, options, settle });
      }),
  });
  return { clock, world, eviction, requests, kills, logged, recorded, counted, calls };
}

function podWith(name: string, spec: object, traits: { static?: boolean } = {}): Pod {
  const plain = pod(name, { phase: 'Running', ...traits });
  return { ...plain, spec: { ...plain.spec, ...spec } };
}

const EMPTY_DIR = { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] };
const limited = (limit: string, name = 'main') => ({
  name,
  resources: { limits: { 'ephemeral-storage': limit } },
});
const MiB = 2 ** 20;

describe('a check', () => {
  test('measures nothing and makes no runtime call for pods without limits', async () => {
    const { eviction, world, requests, calls } = harness();
    world.pods = [
      pod('a', { phase: 'Running' }),
      podWith('b', { volumes: [{ name: 'v', emptyDir: {} }] }),
    ];
    await eviction.check();
    expect(requests.flat()).toEqual([]);
    expect(calls).toMatchObject({ stats: 0, usage: 0 });
  });

  test('measures only the volumes that have limits, without a runtime call', async () => {
    const { eviction, world, requests, calls } = harness();
    const volumes = [...EMPTY_DIR.volumes, { name: 'free', emptyDir: {} }];
    world.pods = [podWith('a', { volumes })];
    await eviction.check();
    expect(requests).toEqual([
      [
        {
          pod: { uid: 'a', name: 'a', namespace: 'default' },
          volumes: [{ name: 'data', kind: 'empty-dir', isInMemory: false }],
          containers: [],
        },
      ],
    ]);
    expect(calls.stats).toBe(0);
  });

  test('measures logs and writable layers if containers have limits', async () => {
    const { eviction, world, requests, calls } = harness();
    const volumes = [{ name: 'free', emptyDir: {} }];
    world.pods = [podWith('a', { volumes, containers: [limited('1Mi')] })];
    await eviction.check();
    expect(requests[0]).toMatchObject([{ volumes: [{ name: 'free' }], containers: ['main'] }]);
    expect(calls.stats).toBe(1);
  });

  test.each([
    [
      'no container runs',
      (world: ReturnType<typeof harness>['world']) => (world.isRunning = false),
    ],
    ['it has ended', (world: ReturnType<typeof harness>['world']) => world.terminated.add('a')],
  ])('leaves a pod alone when %s', async (_when, happen) => {
    const { eviction, world, kills, requests } = harness();
    world.pods = [podWith('a', EMPTY_DIR)];
    world.volumes.set('data', 2 * MiB);
    happen(world);
    await eviction.check();
    expect([kills, requests.flat()]).toEqual([[], []]);
  });
});

describe('a pod above a limit', () => {
  test('is evicted: an Event, a kill with a second of grace, a status, and a count', async () => {
    const { clock, eviction, world, kills, recorded, counted } = harness();
    world.pods = [podWith('a', EMPTY_DIR)];
    world.volumes.set('data', 2 * MiB);
    await eviction.check();
    const message = 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ';
    expect(recorded).toEqual([`a Warning Evicted ${message}`]);
    expect(kills).toMatchObject([{ uid: 'a', options: { evict: true, graceSeconds: 1 } }]);
    const status: PodStatus = { phase: 'Running', podIP: '10.0.0.1', conditions: [] };
    expect(kills[0]?.options.overrideStatus?.(status)).toEqual({
      ...status,
      phase: 'Failed',
      reason: 'Evicted',
      message,
    });
    expect(counted).toEqual([]);
    kills[0]?.settle();
    await clock.pass(0);
    expect(counted).toEqual(['emptydirfs.limit']);
  });

  test('is evicted again if it does not stop in time', async () => {
    const { eviction, world, kills, logged, counted } = harness();
    world.pods = [podWith('a', EMPTY_DIR)];
    world.volumes.set('data', 2 * MiB);
    const { pods, killed } = await eviction.check();
    expect(pods).toEqual(world.pods);
    kills[0]?.settle(new Error('timeout waiting to kill pod'));
    await killed;
    expect([logged, counted]).toEqual([
      ['Eviction manager: pod failed to evict'],
      ['emptydirfs.limit'],
    ]);
    await eviction.check();
    expect(kills).toHaveLength(2);
  });

  test('does not stop others from being checked', async () => {
    const { eviction, world, kills } = harness();
    world.pods = [podWith('a', EMPTY_DIR), podWith('b', EMPTY_DIR)];
    world.volumes.set('data', 2 * MiB);
    await eviction.check();
    expect(kills.map(({ uid }) => uid)).toEqual(['a', 'b']);
  });

  test('is spared if it is critical, which is logged once', async () => {
    const { eviction, world, kills, logged, recorded } = harness();
    world.pods = [podWith('a', EMPTY_DIR, { static: true })];
    world.volumes.set('data', 2 * MiB);
    await eviction.check();
    await eviction.check();
    expect([kills, recorded, logged]).toEqual([
      [],
      [],
      ['Eviction manager: cannot evict a critical pod'],
    ]);
    world.volumes.set('data', 0);
    await eviction.check();
    world.volumes.set('data', 2 * MiB);
    await eviction.check();
    expect(logged).toHaveLength(2);
  });
});

describe('writable layers', () => {
  const two = { containers: [limited('1Mi', 'a'), limited('1Gi', 'b')] };
  const written = (bytes: number) => async () => [
    { id: 'id-a', name: 'a', podUid: 'p', writableBytes: bytes },
  ];

  test('count with the logs of their container', async () => {
    const { eviction, world, kills } = harness();
    world.pods = [podWith('p', two)];
    world.stats = written(MiB - 4096);
    await eviction.check();
    expect(kills).toEqual([]);
    world.logBytes = 8192;
    await eviction.check();
    expect(kills[0]?.options.overrideStatus?.({}).message).toBe(
      'Container a exceeded its local ephemeral storage limit "1Mi". ',
    );
  });

  test('count for the pod alone if images are on a dedicated file system', async () => {
    const { eviction, world, kills } = harness();
    world.pods = [podWith('p', two)];
    world.isDedicated = true;
    world.stats = written(2 * MiB);
    await eviction.check();
    expect(kills).toEqual([]);
    world.stats = written(2 ** 30 + 2 * MiB);
    await eviction.check();
    expect(kills[0]?.options.overrideStatus?.({}).message).toBe(
      'Pod ephemeral local storage usage exceeds the total limit of containers 1025Mi. ',
    );
  });

  test('count as zero while the runtime does not answer; volumes are checked all the same', async () => {
    const { eviction, world, kills } = harness();
    const fails = (): Promise<never> => Promise.reject(new Error('away'));
    world.stats = fails;
    world.pods = [podWith('p', two), podWith('q', EMPTY_DIR)];
    world.volumes.set('data', 2 * MiB);
    await eviction.check();
    expect(kills.map(({ uid }) => uid)).toEqual(['q']);
  });
});

test('evicts nothing after it was stopped in the middle of a check', async () => {
  const { eviction, world, kills, calls } = harness();
  world.pods = [podWith('p', { containers: [limited('1Mi', 'a')] })];
  let answer: (stats: readonly ContainerStats[]) => void = () => {};
  world.stats = () => new Promise((resolve) => (answer = resolve));
  const check = eviction.check();
  await eviction.stop();
  answer([{ id: 'id-a', name: 'a', podUid: 'p', writableBytes: 2 * MiB }]);
  expect([(await check).pods, kills, calls.stop]).toEqual([[], [], 1]);
});
