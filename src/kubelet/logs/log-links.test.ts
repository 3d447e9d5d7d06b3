import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { DiskPodFiles } from '../volumes/files/disk-pod-files.ts';
import { LogLinks } from './log-links.ts';

const POD = { uid: 'u', name: 'web', namespace: 'shop' };
let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-log-links-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

test('a log has a link with the name of its pod, which is removed with the log', async () => {
  const folder = path.join(root, 'containers');
  const files = new DiskPodFiles({ rootFolder: root, logFolder: path.join(root, 'pods') });
  const links = new LogLinks({ folder, files, log: silentLog });
  const log = path.join(root, 'pods/shop_web_u/main/2.log');
  await mkdir(path.dirname(log), { recursive: true });
  await writeFile(log, 'said\n');
  await links.link({ pod: POD, container: 'main', attempt: 2 }, 'containerd://0123abc');
  const link = path.join(folder, 'web_shop_main-0123abc.log');
  expect(await readFile(link, 'utf8')).toBe('said\n');
  await links.sweep();
  expect(await readdir(folder)).toHaveLength(1);
  await rm(log);
  await links.sweep();
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that cannot be written is no reason to fail', async () => {
  await writeFile(path.join(root, 'file'), '');
  const files = new DiskPodFiles({ rootFolder: root, logFolder: path.join(root, 'pods') });
  const folder = path.join(root, 'file/containers');
  const links = new LogLinks({ folder, files, log: silentLog });
  await links.link({ pod: POD, container: 'main', attempt: 0 }, 'x://1');
  await links.sweep();
  expect(await readdir(root)).toEqual(['file']);
});
