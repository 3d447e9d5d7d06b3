/** The inhibitor lock on a real bus: a private dbus-daemon, and a fake logind that passes descriptors. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LogindInhibitor } from '../../src/kubelet/node-shutdown/logind-inhibitor.ts';
import { NodeShutdownManager } from '../../src/kubelet/node-shutdown/node-shutdown-manager.ts';
import { systemClock as clock } from '../../src/platform/system-clock.ts';
import { silentLog } from '../support/silent-ports.ts';
import { LogindHarness, MISSING } from './logind-harness.ts';

const LOCK = 'inhibit shutdown kubelet delay';
const PATIENCE = { timeout: 20_000, interval: 20 };

function inhibitorOf(harness: LogindHarness, problems: string[] = []): LogindInhibitor {
  const report = (message: string): void => void problems.push(message);
  return new LogindInhibitor({
    clock,
    log: { ...silentLog, warn: report, error: report },
    address: harness.address,
    configFolder: path.join(harness.folder, 'logind.conf.d'),
  });
}

async function open(harness: LogindHarness, delaySeconds = 5, problems: string[] = []) {
  const session = await inhibitorOf(harness, problems).open(delaySeconds);
  onTestFinished(() => session.end());
  const announced: boolean[] = [];
  session.follow((isShuttingDown) => announced.push(isShuttingDown));
  return { session, announced };
}

describe.skipIf(MISSING.length > 0)('on a private bus', { timeout: 60_000 }, () => {
  test('the lock is held until it is released, and announcements are reported', async () => {
    const harness = await LogindHarness.start();
    const { session, announced } = await open(harness);
    await harness.sees(LOCK);
    expect(harness.seen).toEqual(['ready', LOCK]);
    harness.say('announce');
    await expect.poll(() => announced, PATIENCE).toEqual([false, true]);
    expect(harness.seen).toEqual(['ready', LOCK]);
    await session.release();
    await harness.sees('released');
    harness.say('cancel');
    await expect.poll(() => announced, PATIENCE).toEqual([false, true, false]);
    await session.inhibit();
    await harness.sees(LOCK, 2);
    session.end();
    await harness.sees('released', 2);
  });

  test('a shutdown that was announced before is the first announcement', async () => {
    const harness = await LogindHarness.start();
    const first = await open(harness);
    harness.say('announce');
    await expect.poll(() => first.announced, PATIENCE).toEqual([false, true]);
    const { announced } = await open(harness);
    expect(announced).toEqual([true]);
  });

  test('announcements of other users of the bus do not count', async () => {
    const harness = await LogindHarness.start();
    const { announced } = await open(harness);
    harness.say('forge');
    await harness.sees('forged');
    // The forged ones come before this one.
    harness.say('cancel');
    await expect.poll(() => announced, PATIENCE).toEqual([false, false]);
  });

  test('a delay limit that is too short is raised in the configuration of logind', async () => {
    const harness = await LogindHarness.start();
    harness.say('delay 90');
    const problems: string[] = [];
    await open(harness, 90, problems);
    const file = path.join(harness.folder, 'logind.conf.d', '99-kubelet.conf');
    expect(readFileSync(file, 'utf8')).toBe(
      '# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=90\n',
    );
    await harness.sees(LOCK);
    expect(harness.seen).toEqual(['ready', 'reloaded', LOCK]);
    expect(problems).toEqual([]);
  });

  test('where it cannot be raised the log says so, and the lock is taken all the same', async () => {
    const harness = await LogindHarness.start();
    const problems: string[] = [];
    await open(harness, 90, problems);
    expect(problems).toEqual([
      'Node shutdown manager was unable to update logind InhibitDelayMaxSec',
    ]);
    await harness.sees(LOCK);
  });

  test('the lock outlives the connection, which says why it was closed', async () => {
    const harness = await LogindHarness.start();
    const { session } = await open(harness);
    await harness.stop();
    expect(await session.closed).toBe('the bus closed the connection');
    await expect(session.inhibit()).rejects.toThrow('the connection is closed');
    await session.release();
  });

  test('after a restart of the bus the lock is taken again, and announcements count again', async () => {
    const harness = await LogindHarness.start();
    const inhibitor = inhibitorOf(harness);
    let sessions = 0;
    const manager = new NodeShutdownManager({
      clock,
      log: silentLog,
      metrics: { shutdownTimes: () => {} },
      periods: [{ priority: 0, shutdownGracePeriodSeconds: 5 }],
      inhibitor: {
        open: async (seconds) => {
          const session = await inhibitor.open(seconds);
          sessions += 1;
          return session;
        },
      },
      pods: { pods: () => [] },
      workers: { isPodKnownTerminated: () => true, isPodTerminationRequested: () => false },
      status: { getPodStatus: () => undefined, isAcknowledged: () => true },
      volumes: { volumesExist: () => false },
      killPod: () => Promise.resolve(),
      changed: () => {},
    });
    manager.start();
    onTestFinished(() => manager.stop());
    await harness.sees(LOCK);
    // A bus that ends before the session is open ends the watch, as in the kubelet.
    await expect.poll(() => sessions, PATIENCE).toBe(1);
    await harness.stop();
    await harness.start();
    await harness.sees(LOCK, 2);
    await expect.poll(() => sessions, PATIENCE).toBe(2);
    harness.say('announce');
    await expect.poll(() => manager.reasons(), PATIENCE).toEqual(['node is shutting down']);
    await harness.sees('released');
    harness.say('cancel');
    await harness.sees(LOCK, 3);
    expect(manager.isShuttingDown).toBe(false);
  });
});

test('without a bus there is nothing to watch, and the error says what is needed', async () => {
  const inhibitor = new LogindInhibitor({ clock, log: silentLog, address: 'unix:path=/nowhere' });
  await expect(inhibitor.open(5)).rejects.toMatchObject({
    code: 'SHUTDOWNS_NOT_WATCHED',
    message: expect.stringMatching(/^shutdowns of this machine cannot be watched: .+/),
  });
});
