import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { goProcessorName, goSystemName } from './go-platform.ts';
import { systemMachine } from './system-machine.ts';

async function rootWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = makeTempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

test('this machine has processors, memory, a name and a file system', async () => {
  const machine = systemMachine();
  const info = await machine.info();
  expect(info.cpuCount).toBeGreaterThan(0);
  expect(info.memoryBytes).toBeGreaterThan(1024 * 1024);
  expect(info).toMatchObject({ kernelVersion: os.release(), osImage: expect.stringMatching(/./) });
  const { bytes, inodes } = await machine.fileSystem(os.tmpdir());
  expect(bytes.capacity).toBeGreaterThanOrEqual(bytes.available);
  expect(inodes.capacity).toBeGreaterThanOrEqual(inodes.available);
  await expect(machine.fileSystem('/nowhere/at/all')).rejects.toThrow('ENOENT');
});

test('a Linux machine is described by its files', async () => {
  const root = await rootWith({
    'etc/machine-id': 'abc\n',
    'sys/class/dmi/id/product_uuid': 'UUID-1\n',
    'proc/sys/kernel/random/boot_id': 'boot-1\n',
    'etc/os-release': 'PRETTY_NAME="Test OS 1"\n',
    'proc/meminfo':
      'MemTotal: 100 kB\nSwapTotal: 5 kB\nAnonPages: 60 kB\nCached: 20 kB\nInactive(file): 10 kB\n',
    'proc/loadavg': '0.1 0.1 0.1 1/250 99\n',
    'proc/sys/kernel/pid_max': '1000\n',
    'proc/sys/kernel/threads-max': '900\n',
    'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '3\n',
    'sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages': '0\n',
  });
  const machine = systemMachine({ root });
  expect(await machine.info()).toMatchObject({
    machineID: 'abc',
    systemUUID: 'UUID-1',
    bootID: 'boot-1',
    osImage: 'Test OS 1',
    memoryBytes: 102_400,
    swapBytes: 5120,
    hugePages: [
      { pageBytes: 2_097_152, count: 3 },
      { pageBytes: 1_073_741_824, count: 0 },
    ],
  });
  expect(await machine.usage()).toEqual({
    memory: { capacity: 102_400, available: 30 * 1024 },
    pids: { capacity: 900, available: 650 },
  });
});

test('a system without such files is described as far as Node knows it', async () => {
  const machine = systemMachine({ root: await rootWith({}) });
  expect(await machine.info()).toMatchObject({
    machineID: '',
    systemUUID: '',
    bootID: '',
    osImage: `${os.type()} ${os.release()}`,
    memoryBytes: os.totalmem(),
    swapBytes: 0,
    hugePages: [],
  });
  expect(await machine.usage()).toEqual({ memory: null, pids: null });
});

test('systems and processors have the names that Go gives them', () => {
  expect(['linux', 'darwin', 'win32'].map(goSystemName)).toEqual(['linux', 'darwin', 'windows']);
  expect(['x64', 'arm64', 'ia32'].map(goProcessorName)).toEqual(['amd64', 'arm64', '386']);
});
