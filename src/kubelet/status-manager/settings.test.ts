import { expect, test } from 'vitest';
import { MemoryPodManager } from '../../../test/support/memory-pod-manager.ts';
import {
  noProbes,
  silentDecisions,
  silentLog,
  silentStatusObserver,
} from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { readSettings, type StatusManagerPorts } from './settings.ts';

const ports: StatusManagerPorts = {
  clock: new VirtualClock(),
  random: { next: () => 0 },
  pods: new MemoryPodManager(),
  probes: noProbes,
  decisions: silentDecisions,
  log: silentLog,
  observer: silentStatusObserver,
  couldHaveRunningContainers: () => true,
};

test('the defaults are those of KubeletConfiguration (KL-107, SM-4)', () => {
  expect(readSettings(ports)).toMatchObject({
    window: 32,
    qps: 50,
    burst: 100,
    requestTimeoutMs: 30_000,
    reconcileMs: 10_000,
  });
});

test('given settings count', () => {
  expect(readSettings({ ...ports, qps: -1, window: 4 })).toMatchObject({
    window: 4,
    qps: -1,
    burst: 100,
  });
});

test('the ports are passed on as they are', () => {
  expect(readSettings(ports).ports).toBe(ports);
});
