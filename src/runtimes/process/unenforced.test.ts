import { expect, test } from 'vitest';
import { shellCommands } from '../../../test/suites/pod-runtime/shell-commands.ts';
import { Stage } from '../../../test/suites/pod-runtime/stage.ts';
import type { ContainerSecurity } from '../../ports/runtime/container-config.ts';
import { unenforcedForContainer, unenforcedForPod, type Enforcement } from './unenforced.ts';

const MACHINE = {
  isolation: 'root',
  mapsUsers: true,
  mapsTree: true,
  isLinux: true,
  obstacle: 'it is so',
  uid: 0,
} as const;
const ALL: Enforcement = { machine: MACHINE, limitsCpu: true, lacksPidsLimit: false };

const reasonsOfPod = (enforcement: Enforcement, changes: object = {}): readonly string[] => {
  const config = Stage.prototype.sandboxConfig.call({ folder: '/tmp' } as Stage, changes);
  const network = { kind: 'host' } as const;
  const record = { id: '1', config, createdAtMs: 0, bootId: '', network, isReady: true };
  return unenforcedForPod(record, enforcement).map(({ reason }) => reason);
};

test('a machine that can do everything says nothing', () => {
  expect(reasonsOfPod(ALL)).toEqual([]);
});

test('what a pod lacks is said for the pod', () => {
  const machine = { ...MACHINE, isolation: 'none' } as const;
  expect(reasonsOfPod({ ...ALL, machine })).toEqual(['NoBoundary', 'MountsUnavailable']);
  const unmapped = { ...ALL, machine: { ...MACHINE, mapsUsers: false } };
  expect(reasonsOfPod(unmapped)).toEqual(['UserNamespacesUnavailable']);
  expect(reasonsOfPod(unmapped, { hostUsers: true })).toEqual([]);
  expect(reasonsOfPod({ ...ALL, lacksPidsLimit: true })).toEqual(['PidsLimitUnavailable']);
  expect(reasonsOfPod(ALL, { sysctls: { 'net.core.somaxconn': '1' } })).toEqual([
    'SysctlsUnavailable',
  ]);
});

test('what a container names and does not get is said with its name', () => {
  const config = Stage.prototype.containerConfig.call({ commands: shellCommands } as Stage);
  const of = (security: Partial<ContainerSecurity>, enforcement = ALL): readonly string[] =>
    unenforcedForContainer(
      { ...config, security: { ...config.security, ...security } },
      enforcement,
    ).map(({ reason, message }) => `${reason} ${message.slice(0, 16)}`);
  expect(of({})).toEqual([]);
  expect(of({ appArmor: 'unconfined' })).toEqual([]);
  expect(of({ appArmor: 'runtime/default' })).toEqual(['ProfileUnavailable Container main: ']);
  expect(of({ seLinux: { level: 's0' } })).toEqual(['ProfileUnavailable Container main: ']);
  const user = { ...ALL, machine: { ...MACHINE, uid: 1000, isolation: 'user' as const } };
  expect(of({ supplementalGroups: [7] }, user)).toEqual(['GroupsUnavailable Container main: ']);
});
