/** Sizes of volumes on real mounts. Only root may mount, and not in every container. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { DiskPodFiles } from '../volumes/files/disk-pod-files.ts';
import { SystemMounter } from '../volumes/mounts/system-mounter.ts';
import { VolumeLayout } from '../volumes/volume-layout.ts';
import { DiskUsage } from './disk-usage.ts';

const POD = { uid: 'u1', name: 'p', namespace: 'ns' };
const VOLUMES = [{ name: 'data', kind: 'empty-dir' }] as const;
const KiB = 1024;
const mounter = new SystemMounter({ probeFolder: tmpdir() });
const mayMount = await mounter.isPermitted();

function harness() {
  const rootFolder = makeTempFolder();
  const layout = new VolumeLayout(rootFolder);
  const files = new DiskPodFiles({ rootFolder, logFolder: path.join(rootFolder, 'logs') });
  const usage = new DiskUsage({ clock: new VirtualClock(), rootFolder, layout, files });
  const data = layout.volumeFolder(POD.uid, 'empty-dir', 'data');
  mkdirSync(data, { recursive: true });
  const bytes = async (): Promise<number | undefined> => {
    const [found] = await usage.measure([{ pod: POD, volumes: VOLUMES, containers: [] }]);
    return found?.volumes.get('data');
  };
  return { data, bytes };
}

async function mountMemory(folder: string): Promise<void> {
  await mounter.mountMemory(folder, BigInt(1024 * KiB));
  onTestFinished(() => mounter.unmount(folder));
}

test.skipIf(!mayMount)('a volume in memory has the size of its pages', async () => {
  const { data, bytes } = harness();
  await mountMemory(data);
  expect(await bytes()).toBe(0);
  writeFileSync(path.join(data, 'file'), Buffer.alloc(100 * KiB, 1));
  expect(await bytes()).toBe(100 * KiB);
});

test.skipIf(!mayMount)('a mount inside a volume does not count', async () => {
  const { data, bytes } = harness();
  const inside = path.join(data, 'inside');
  mkdirSync(inside);
  const before = (await bytes()) ?? Infinity;
  await mountMemory(inside);
  writeFileSync(path.join(inside, 'file'), Buffer.alloc(500 * KiB, 1));
  expect(await bytes()).toBeLessThanOrEqual(before);
  expect(await bytes()).toBeGreaterThan(0);
});
