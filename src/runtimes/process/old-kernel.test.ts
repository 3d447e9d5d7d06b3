import { expect, test } from 'vitest';
import type { Trial } from './machine/machine-trial.ts';
import { refuseOldKernel } from './old-kernel.ts';

const without = (obstacle: string): Trial => ({ can: new Set(), obstacle });
const MISSING = without('tree: open_tree /usr: Function not implemented');

test('a kernel that lacks the calls is refused, and the version that has them is named', () => {
  expect(() => refuseOldKernel(MISSING, '5.4.0-200-generic')).toThrow(/5\.4\.0.*Linux 5\.12/);
  expect(() => refuseOldKernel(MISSING, '5.11.22')).toThrow(/Linux 5\.12/);
  expect(() => refuseOldKernel(MISSING, '4.19.0')).toThrow(/Linux 5\.12/);
});

test('a kernel that has them is accepted, whatever else failed', () => {
  expect(() => refuseOldKernel(MISSING, '6.1.0')).not.toThrow();
  expect(() => refuseOldKernel(MISSING, '5.12.0')).not.toThrow();
  const denied = without('unshare: Operation not permitted');
  expect(() => refuseOldKernel(denied, '5.4.0')).not.toThrow();
  const able: Trial = { can: new Set(['mounts']), obstacle: 'x: Function not implemented' };
  expect(() => refuseOldKernel(able, '5.4.0')).not.toThrow();
});
