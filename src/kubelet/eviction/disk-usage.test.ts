import { linkSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { DiskPodFiles } from '../volumes/files/disk-pod-files.ts';
import { VolumeLayout } from '../volumes/volume-layout.ts';
import { DiskUsage } from './disk-usage.ts';

const POD = { uid: 'u1', name: 'p', namespace: 'ns' };

function harness() {
  const rootFolder = makeTempFolder();
  const logFolder = makeTempFolder();
  const layout = new VolumeLayout(rootFolder);
  const files = new DiskPodFiles({ rootFolder, logFolder });
  const usage = new DiskUsage({ clock: new VirtualClock(), rootFolder, layout, files });
  const volume = (name: string, kind: 'empty-dir' | 'configmap' = 'empty-dir'): string => {
    const folder = layout.volumeFolder(POD.uid, kind, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const log = (...names: readonly string[]): string => {
    const file = path.join(files.logFolder(POD), ...names);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, 'x'.repeat(10_000));
    return file;
  };
  return { rootFolder, layout, usage, volume, log };
}

function blocksOf(...files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

test('volumes count by their kind and name, and missing ones are omitted', async () => {
  const { usage, volume } = harness();
  const [data, config] = [volume('data'), volume('config', 'configmap')];
  const file = path.join(data, 'file');
  writeFileSync(file, 'x'.repeat(50_000));
  linkSync(file, path.join(data, 'again'));
  writeFileSync(path.join(data, 'sparse'), '');
  truncateSync(path.join(data, 'sparse'), 2 ** 30);
  symlinkSync('/', path.join(data, 'link'));
  const volumes = [
    { name: 'data', kind: 'empty-dir' },
    { name: 'config', kind: 'configmap' },
    { name: 'none', kind: 'empty-dir' },
  ] as const;
  const [bytes] = await usage.measure([{ pod: POD, volumes, containers: [] }]);
  expect(bytes).toEqual({
    volumes: new Map([
      ['data', blocksOf(data, file)],
      ['config', blocksOf(config)],
    ]),
    // The folder, the file with two names, the sparse file and the link.
    volumeInodes: new Map([
      ['data', 4],
      ['config', 1],
    ]),
    logs: new Map(),
    logInodes: new Map(),
    otherBytes: 0,
  });
});

test('logs count by container, all runs of it, and folders do not count', async () => {
  const { usage, log } = harness();
  const main = [
    log('main', '0.log'),
    log('main', '1.log'),
    log('main', '1.log.20300102-030405.gz'),
  ];
  const other = log('other', '0.log');
  log('main', 'folder', 'file');
  const containers = ['main', 'other', 'none', 'main'];
  const [bytes] = await usage.measure([{ pod: POD, volumes: [], containers }]);
  expect(bytes?.logs).toEqual(
    new Map([
      ['main', blocksOf(...main)],
      ['other', blocksOf(other)],
      ['none', 0],
    ]),
  );
  expect(bytes?.otherBytes).toBe(0);
});

test('the hosts file and files beside the logs of containers count too', async () => {
  const { usage, log, layout } = harness();
  const beside = log('note');
  const hosts = layout.hostsFile(POD.uid);
  mkdirSync(path.dirname(hosts), { recursive: true });
  writeFileSync(hosts, '127.0.0.1 localhost\n');
  const [bytes] = await usage.measure([{ pod: POD, volumes: [], containers: ['main'] }]);
  expect(bytes?.otherBytes).toBe(blocksOf(beside, hosts));
});

test('answers are in the order of the pods, and a second measurement is new', async () => {
  const { usage, volume } = harness();
  const data = volume('data');
  const volumes = [{ name: 'data', kind: 'empty-dir' }] as const;
  const requests = [
    { pod: { ...POD, uid: 'other' }, volumes, containers: [] },
    { pod: POD, volumes, containers: [] },
  ];
  const [none, first] = await usage.measure(requests);
  writeFileSync(path.join(data, 'file'), 'x'.repeat(50_000));
  const [, second] = await usage.measure(requests);
  expect(none?.volumes.size).toBe(0);
  expect(second?.volumes.get('data')).toBeGreaterThan(first?.volumes.get('data') ?? Infinity);
  await usage.stop();
  await expect(usage.measure([])).resolves.toEqual([]);
});

test('a folder of the same file system is not elsewhere', async () => {
  const { usage, rootFolder } = harness();
  expect(await usage.isElsewhere(rootFolder)).toBe(false);
  await expect(usage.isElsewhere(path.join(rootFolder, 'none'))).rejects.toThrow('ENOENT');
});

test.skipIf(process.platform !== 'linux')('/proc is', async () => {
  expect(await harness().usage.isElsewhere('/proc')).toBe(true);
});
