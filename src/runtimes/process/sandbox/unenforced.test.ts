import { expect, test } from 'vitest';
import { shellCommands } from '../../../../test/suites/pod-runtime/shell-commands.ts';
import { TestHarness } from '../../../../test/suites/pod-runtime/runtime-harness.ts';
import type { ContainerSecurity } from '../../../ports/runtime/container-config.ts';
import type { SandboxRecord } from '../container/records.ts';
import {
  forbiddenPorts,
  unenforcedForContainer,
  unenforcedForPod,
  type Enforcement,
} from './unenforced.ts';

const MACHINE = {
  isolation: 'root',
  mapsUsers: true,
  mapsTree: true,
  isLinux: true,
  obstacle: 'it is so',
  uid: 0,
} as const;
const ALL: Enforcement = {
  machine: MACHINE,
  limitsCpu: true,
  lacksPidsLimit: false,
  lacksMemory: false,
  lacksRoute: false,
};

const reasonsOfPod = (
  enforcement: Enforcement,
  changes: object = {},
  network: SandboxRecord['network'] = { kind: 'host' },
): readonly string[] => {
  const config = TestHarness.prototype.sandboxConfig.call(
    { folder: '/tmp' } as TestHarness,
    changes,
  );
  const record = { id: '1', config, createdAtMs: 0, bootId: '', network, isReady: true };
  return unenforcedForPod(record, enforcement).map(({ reason }) => reason);
};

test('a machine that can do everything gives no warning', () => {
  expect(reasonsOfPod(ALL)).toEqual([]);
});

test('a feature that the pod lacks is reported for the pod', () => {
  const machine = { ...MACHINE, isolation: 'none' } as const;
  expect(reasonsOfPod({ ...ALL, machine })).toEqual(['NoBoundary', 'MountsUnavailable']);
  const unmapped = { ...ALL, machine: { ...MACHINE, mapsUsers: false } };
  expect(reasonsOfPod(unmapped)).toEqual(['UserNamespacesUnavailable']);
  expect(reasonsOfPod(unmapped, { hostUsers: true })).toEqual([]);
  expect(reasonsOfPod({ ...ALL, lacksPidsLimit: true })).toEqual(['PidsLimitUnavailable']);
  expect(reasonsOfPod({ ...ALL, lacksMemory: true })).toEqual(['SecretsOnDisk']);
  const own = { kind: 'namespace', files: 'a', link: 'a', ip: '10.0.0.2' } as const;
  expect(reasonsOfPod({ ...ALL, lacksRoute: true }, {}, own)).toEqual(['RouteUnavailable']);
  expect(reasonsOfPod({ ...ALL, lacksRoute: true })).toEqual([]);
  expect(reasonsOfPod(ALL, { sysctls: { 'net.core.somaxconn': '1' } })).toEqual([
    'SysctlsUnavailable',
  ]);
});

test('a feature that a container asks for and does not get is reported with its name', () => {
  const config = TestHarness.prototype.containerConfig.call({
    commands: shellCommands,
  } as TestHarness);
  const of = (
    security: Partial<ContainerSecurity>,
    enforcement = ALL,
    users?: SandboxRecord['users'],
  ): readonly string[] =>
    unenforcedForContainer(
      { ...config, security: { ...config.security, ...security } },
      enforcement,
      users,
    ).map(({ reason, message }) => `${reason} ${message.slice(0, 16)}`);
  expect(of({})).toEqual([]);
  expect(of({ appArmor: 'unconfined' })).toEqual([]);
  expect(of({ appArmor: 'runtime/default' })).toEqual(['ProfileUnavailable Container main: ']);
  expect(of({ seLinux: { level: 's0' } })).toEqual(['ProfileUnavailable Container main: ']);
  const user = { ...ALL, machine: { ...MACHINE, uid: 1000, isolation: 'user' as const } };
  expect(of({ supplementalGroups: [7] }, user)).toEqual(['GroupsUnavailable Container main: ']);
  const tracing = { addedCapabilities: ['SYS_PTRACE'] };
  expect(of(tracing)).toEqual(['TracingUnconfined Container main: ']);
  expect(of(tracing, ALL, { first: 1 << 20, count: 65_536, file: '/run/users' })).toEqual([]);
  expect(of(tracing, user)).toEqual([]);
  expect(of({ isPrivileged: true })).toEqual([]);
});

test('a port that only root may listen on is reported, with the first unprivileged port', () => {
  const found = forbiddenPorts([{ containerPort: 80 }, { containerPort: 8080 }], 1024);
  expect(found.map(({ reason }) => reason)).toEqual(['PortUnavailable']);
  expect(found[0]?.message).toMatch(/^Port 80 cannot .* from 1024 on, or start podkeep as root\.$/);
  expect(forbiddenPorts([{ containerPort: 80 }], 0)).toEqual([]);
});
