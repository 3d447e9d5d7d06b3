import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { PodPids, type PodPidsOptions } from './pod-pids.ts';

function makePids(changes: Partial<PodPidsOptions> = {}) {
  const root = path.join(makeTempFolder(), 'pids');
  mkdirSync(root);
  writeFileSync(path.join(root, 'cgroup.procs'), '');
  const options = { name: 'podkeep-1', limit: 50, hasGroups: true, isUnified: false };
  return new PodPids({ ...options, hasProcesses: true, root, kernel: '6.1.0', ...changes });
}

test('a pod has its own group, which all its containers join', () => {
  const pids = makePids();
  const [folder = ''] = pids.folders('pod-1');
  expect(pids.way).toBe('pod-group');
  expect(pids.settings('pod-1', ['/memory/x'])).toEqual([
    { file: path.join(folder, 'pids.max'), value: '50', isOptional: false },
  ]);
  mkdirSync(folder);
  pids.sweep(new Set(['pod-1']));
  expect(existsSync(folder)).toBe(true);
  pids.sweep(new Set());
  expect(existsSync(folder)).toBe(false);
});

test('with one tree of groups each container is limited', () => {
  const pids = makePids({ root: '/no/such/folder', isUnified: true });
  expect(pids.way).toBe('container-group');
  expect(pids.settings('pod-1', ['/unified/x'])).toEqual([
    { file: '/unified/x/pids.max', value: '50', isOptional: false },
  ]);
});

test('without groups the process namespace is limited, where the kernel has a limit for each', () => {
  const none = { hasGroups: false };
  expect(makePids({ ...none, kernel: '6.14.2' }).pidMax).toBe(301);
  expect(makePids({ ...none, kernel: '7.0', limit: 1000 }).pidMax).toBe(1000);
  expect(makePids({ ...none, kernel: '6.13.9' })).toMatchObject({ way: 'none', pidMax: undefined });
  expect(makePids({ ...none, kernel: '6.18', hasProcesses: false }).way).toBe('none');
});

test('without a limit there is nothing to enforce', () => {
  const pids = makePids({ limit: -1 });
  expect([pids.isLimited, pids.folders('a'), pids.settings('a', ['/x'])]).toEqual([false, [], []]);
});
