import { expect, test } from 'vitest';
import { silentLog as log } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { HealthCheck } from '../../lib/health-report.ts';
import { ServiceManager, watchdogMsOf } from './service-manager.ts';

function harness(checks: readonly HealthCheck[] = [], watchdogMs: number | undefined = 30_000) {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const send = async (text: string): Promise<void> => void sent.push(text);
  const manager = new ServiceManager({ clock, log, send, watchdogMs, checks: () => checks });
  return { clock, sent, manager };
}

test('the watchdog is pinged at half of its interval, from READY to the end', async () => {
  const { clock, sent, manager } = harness();
  await clock.pass(60_000);
  expect(sent).toEqual([]);
  manager.ready('Serving');
  await clock.pass(30_000);
  manager.stopping();
  manager.stopping();
  await clock.pass(15_000);
  manager.end();
  await clock.pass(60_000);
  const pings = ['WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1'];
  expect(sent).toEqual([
    'READY=1\nSTATUS=Serving',
    ...pings,
    'STOPPING=1\nSTATUS=Stopping',
    'WATCHDOG=1',
  ]);
});

test('an unhealthy podkeep does not ping, says why, and goes on when it is healthy again', async () => {
  let problem: string | null = null;
  const { clock, sent, manager } = harness([{ name: 'syncloop', check: () => problem }]);
  manager.ready('Serving');
  await clock.pass(1);
  problem = 'it hangs';
  await clock.pass(45_000);
  expect(sent.splice(0)).toEqual([
    'READY=1\nSTATUS=Serving',
    'WATCHDOG=1',
    'STATUS=Unhealthy: syncloop: it hangs',
  ]);
  problem = null;
  await clock.pass(15_000);
  expect(sent).toEqual(['WATCHDOG=1', 'STATUS=Healthy again']);
});

test('an outage of the API server does not end the pings', async () => {
  const api: HealthCheck = { name: 'apiserver', endpoints: ['readyz'], check: () => 'no answer' };
  const { clock, sent, manager } = harness([api]);
  manager.ready('Serving');
  await clock.pass(3_600_000);
  expect(sent).toHaveLength(1 + 1 + 240);
});

test('a check that never ends withholds its own ping alone', async () => {
  const checks: HealthCheck[] = [{ name: 'slow', check: () => new Promise(() => {}) }];
  const { clock, sent, manager } = harness(checks);
  manager.ready('Serving');
  await clock.pass(20_000);
  checks.pop();
  await clock.pass(15_000);
  expect(sent).toEqual(['READY=1\nSTATUS=Serving', 'WATCHDOG=1']);
});

test.each([
  [{ WATCHDOG_USEC: '30000000' }, 30_000],
  [{ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, 30_000],
  [{ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, undefined],
  [{ WATCHDOG_USEC: '0' }, undefined],
  [{ WATCHDOG_USEC: 'x' }, undefined],
  [{}, undefined],
])('the watchdog of process 7 in %j is %s', (env, ms) => {
  expect(watchdogMsOf(env, 7)).toBe(ms);
});
