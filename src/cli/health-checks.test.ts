import { expect, test } from 'vitest';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { failuresOf, HEALTH_ENDPOINTS, type HealthCheck } from '../lib/health-report.ts';
import {
  apiCheck,
  diskCheck,
  eventLoopCheck,
  loopChecks,
  type LoopFaults,
} from './health-checks.ts';

const HEALTHY: LoopFaults = {
  syncLoop: () => null,
  housekeeping: () => null,
  podCache: () => null,
  runtime: () => [],
  runtimeDownForMs: () => null,
};

/** By endpoint, in the order healthz, livez, readyz. */
function failures(...checks: readonly HealthCheck[]): Promise<readonly (readonly string[])[]> {
  return Promise.all(HEALTH_ENDPOINTS.map((endpoint) => failuresOf(endpoint, checks)));
}

test('a healthy node fails nowhere', async () => {
  const disk = diskCheck(
    '/data',
    new VirtualClock(),
    () => false,
    async () => {},
  );
  const api = apiCheck({ silentMs: () => 40_000, silentMsMax: 40_000 });
  const lag = eventLoopCheck({ lagMs: () => 5000 });
  expect(await failures(...loopChecks(HEALTHY), lag, api, disk)).toEqual([[], [], []]);
});

test.each(['syncLoop', 'housekeeping', 'podCache'])(
  '%s that hangs fails everywhere',
  async (loop) => {
    const name = loop === 'podCache' ? 'pleg' : loop.toLowerCase();
    const failure = [`${name}: it hangs`];
    expect(await failures(...loopChecks({ ...HEALTHY, [loop]: () => 'it hangs' }))).toEqual([
      failure,
      failure,
      failure,
    ]);
  },
);

test('a late event loop fails everywhere', async () => {
  const failure = ['eventloop: the event loop is 6 s late'];
  expect(await failures(eventLoopCheck({ lagMs: () => 6000 }))).toEqual([
    failure,
    failure,
    failure,
  ]);
});

test('a dead runtime is not ready at once, and counts as a fault of the node after five minutes', async () => {
  const dead = (ms: number): readonly HealthCheck[] =>
    loopChecks({
      ...HEALTHY,
      runtime: () => ['container runtime is down'],
      runtimeDownForMs: () => ms,
    });
  const notReady = ['runtime: container runtime is down'];
  expect(await failures(...dead(300_000))).toEqual([[], [], notReady]);
  const fault = ['runtime: the container runtime has been down for 301 s'];
  expect(await failures(...dead(301_000))).toEqual([fault, fault, notReady]);
});

test('an outage of the API server counts in readyz alone, however long it lasts', async () => {
  const api = apiCheck({ silentMs: () => 86_400_000, silentMsMax: 40_000 });
  const failure = ['apiserver: the API server has not answered for 86400 s'];
  expect(await failures(api)).toEqual([[], [], failure]);
});

test('a disk that is full or cannot be written counts in readyz alone', async () => {
  const clock = new VirtualClock();
  const full = diskCheck('/data', clock, () => true);
  expect(await failures(full)).toEqual([[], [], ['disk: the node has DiskPressure']]);
  const readOnly = diskCheck(
    '/data',
    clock,
    () => false,
    async () => Promise.reject(new Error('EROFS: read-only file system')),
  );
  expect(await failures(readOnly)).toEqual([[], [], ['disk: EROFS: read-only file system']]);
});

test('a disk that does not answer delays no check for long, and is asked once', async () => {
  const clock = new VirtualClock();
  let asked = 0;
  const silent = diskCheck(
    '/data',
    clock,
    () => false,
    () => {
      asked += 1;
      return new Promise(() => {});
    },
  );
  const reports = Promise.all([failuresOf('readyz', [silent]), failuresOf('readyz', [silent])]);
  await clock.pass(2000);
  expect(await reports).toEqual([['disk: /data does not answer'], ['disk: /data does not answer']]);
  expect(asked).toBe(1);
  expect(clock.pending).toBe(0);
});
