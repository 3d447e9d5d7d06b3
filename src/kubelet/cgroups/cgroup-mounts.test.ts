import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCgroupMounts } from './cgroup-mounts.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-cgroup-mounts-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

test('version 2 has one mount for the controllers that pods need and the kernel has', async () => {
  await write('sys/fs/cgroup/cgroup.controllers', 'cpuset cpu io memory pids misc\n');
  const { version, folders } = await findCgroupMounts(root);
  expect(version).toBe(2);
  expect([...folders.keys()]).toEqual(['cpu', 'cpuset', 'memory', 'pids']);
  expect(new Set(folders.values())).toEqual(new Set([path.join(root, 'sys/fs/cgroup')]));
});

test('version 1 has a mount for each, some shared, and one that is only a name', async () => {
  const lines = [
    '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
    '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:3 - cgroup cgroup rw,cpu,cpuacct',
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup ' +
      'rw,xattr,release_agent=/lib/systemd/systemd-cgroups-agent,name=systemd',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  ];
  await write('proc/self/mountinfo', `${lines.join('\n')}\n`);
  const { version, folders } = await findCgroupMounts(root);
  expect(version).toBe(1);
  expect(folders.get('cpuacct')).toBe(path.join(root, 'sys/fs/cgroup/cpu,cpuacct'));
  expect(folders.get('memory')).toBe(path.join(root, 'sys/fs/cgroup/memory'));
  expect(folders.get('systemd')).toBe(path.join(root, 'sys/fs/cgroup/systemd'));
});
