import { expect, test } from 'vitest';
import type { ContainerSecurity } from '../../../ports/runtime/container-config.ts';
import { boundingSet } from './capabilities.ts';

const SECURITY: ContainerSecurity = {
  isPrivileged: false,
  isReadOnlyRoot: false,
  noNewPrivileges: false,
  addedCapabilities: [],
  droppedCapabilities: [],
  supplementalGroups: [],
};

test('no capability of the default set leads out of a root folder', () => {
  const usual = boundingSet(SECURITY) ?? '';
  expect(usual).toMatch(/^-all,\+/);
  expect(usual).toContain('+chown');
  expect(usual).not.toMatch(/mknod|sys_chroot|sys_admin/);
});

test('dropped capabilities are missing, and added ones are there', () => {
  const dropped = {
    ...SECURITY,
    droppedCapabilities: ['ALL'],
    addedCapabilities: ['CAP_NET_ADMIN'],
  };
  expect(boundingSet(dropped)).toBe('-all,+net_admin');
  expect(boundingSet({ ...SECURITY, droppedCapabilities: ['CHOWN'] })).not.toContain('+chown');
});

test('a privileged container keeps them all', () => {
  expect(boundingSet({ ...SECURITY, isPrivileged: true })).toBeUndefined();
  expect(boundingSet({ ...SECURITY, addedCapabilities: ['ALL'] })).toBeUndefined();
});
