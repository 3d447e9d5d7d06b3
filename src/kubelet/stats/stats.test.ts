import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { CpuRates } from './cpu-rates.ts';
import { FolderUsages } from './folder-usage.ts';
import { readFileSystem, readMachineUsage } from './machine-usage.ts';
import { stampedText } from './stamped-metrics.ts';

describe('rates of CPU time', () => {
  const sample = (timeMs: number, ms: number) =>
    new Map([['c', { timeMs, usageNanoseconds: BigInt(ms) * 1_000_000n }]]);

  test('come with the second sample', () => {
    const rates = new CpuRates();
    expect(rates.rate(sample(1000, 100)).get('c')).not.toHaveProperty('nanoCores');
    expect(rates.rate(sample(3000, 1100)).get('c')?.nanoCores).toBe(500_000_000);
  });

  test('stay the same between samples that are close together', () => {
    const rates = new CpuRates();
    rates.rate(sample(1000, 0));
    rates.rate(sample(2000, 250));
    expect(rates.rate(sample(2100, 350)).get('c')?.nanoCores).toBe(250_000_000);
    expect(rates.rate(sample(3000, 1250)).get('c')?.nanoCores).toBe(1_000_000_000);
  });

  test('start again when the count or the clock went back, or a sample was missing', () => {
    const rates = new CpuRates();
    rates.rate(sample(1000, 100));
    expect(rates.rate(sample(3000, 50)).get('c')).not.toHaveProperty('nanoCores');
    expect(rates.rate(sample(2000, 60)).get('c')).not.toHaveProperty('nanoCores');
    rates.rate(new Map());
    expect(rates.rate(sample(9000, 90)).get('c')).not.toHaveProperty('nanoCores');
  });
});

describe('the disk usage of a folder', () => {
  test('is counted with all that is in it, each file once, and links not followed', async () => {
    const folder = makeTempFolder();
    const inner = path.join(folder, 'inner');
    await mkdir(path.join(inner, 'deep'), { recursive: true });
    await writeFile(path.join(inner, 'deep', 'file'), 'x'.repeat(1_000_000));
    await link(path.join(inner, 'deep', 'file'), path.join(inner, 'again'));
    await writeFile(path.join(folder, 'outside'), 'x'.repeat(5_000_000));
    await symlink(path.join(folder, 'outside'), path.join(inner, 'link'));
    const usage = await new FolderUsages(new VirtualClock()).of(inner);
    expect(usage?.usedBytes).toBeGreaterThanOrEqual(1_000_000);
    expect(usage?.usedBytes).toBeLessThan(2_000_000);
    expect(usage?.inodesUsed).toBe(4);
  });

  test('is counted again after a minute', async () => {
    const clock = new VirtualClock();
    const folder = makeTempFolder();
    const usages = new FolderUsages(clock);
    expect((await usages.of(folder))?.inodesUsed).toBe(1);
    await writeFile(path.join(folder, 'file'), 'x');
    await clock.pass(59_999);
    expect((await usages.of(folder))?.inodesUsed).toBe(1);
    await clock.pass(1);
    expect((await usages.of(folder))?.inodesUsed).toBe(2);
    expect(await usages.of(path.join(folder, 'none'))).toBeNull();
  });
});

describe('the usage of the machine', () => {
  test('is read from /proc', async () => {
    const proc = makeTempFolder();
    await mkdir(path.join(proc, 'net'));
    await mkdir(path.join(proc, 'sys/kernel'), { recursive: true });
    const files = {
      meminfo:
        'MemTotal: 1000 kB\nMemFree: 200 kB\nInactive(file): 300 kB\nAnonPages: 100 kB\n' +
        'SwapTotal: 50 kB\nSwapFree: 20 kB\nHugePages_Total: 3\n',
      'net/dev':
        'Inter-|   Receive | Transmit\n face |bytes packets errs drop\n' +
        '    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n' +
        '  wlan:9 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\n' +
        '  eth0: 10 1 2 0 0 0 0 0 30 1 4 0 0 0 0 0\n',
      loadavg: '0.1 0.2 0.3 2/345 6789\n',
      'sys/kernel/pid_max': '4194304\n',
      'sys/kernel/threads-max': '9000\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(proc, name), text);
    const clock = new VirtualClock();
    const timeMs = clock.now();
    expect(await readMachineUsage(clock, proc)).toMatchObject({
      memory: {
        timeMs,
        totalBytes: 1_024_000,
        usageBytes: 819_200,
        workingSetBytes: 512_000,
        residentBytes: 102_400,
      },
      swap: { usedBytes: 30_720, availableBytes: 20_480 },
      networks: [
        {
          interfaceName: 'eth0',
          receivedBytes: 10,
          receiveErrors: 2,
          sentBytes: 30,
          sendErrors: 4,
        },
        { interfaceName: 'wlan', receivedBytes: 9, sentBytes: 8 },
      ],
      processes: { max: 9000, running: 345 },
    });
  });

  test('is what any system reports, where there is no /proc', async () => {
    const usage = await readMachineUsage(new VirtualClock(), '/nowhere');
    expect(usage).not.toHaveProperty('swap');
    expect(usage).not.toHaveProperty('processes');
    expect(usage.networks).toEqual([]);
    expect(usage.memory.workingSetBytes).toBeGreaterThan(0);
    expect(usage.cpu.usageNanoseconds).toBeGreaterThan(0n);
  });

  test('includes its file systems', async () => {
    const found = await readFileSystem(makeTempFolder());
    expect(found?.capacityBytes).toBeGreaterThan(found?.availableBytes ?? Infinity);
    expect(await readFileSystem('/nowhere')).toBeNull();
  });
});

test('metrics with timestamps are sorted, escaped, and omitted if there are none', () => {
  const samples = [
    { labels: { pod: 'b"\\', a: 'x' }, value: 1_500_000, timeMs: 1000.9 },
    { labels: { pod: 'a\n', a: 'x' }, value: 0.5 },
  ];
  expect(
    stampedText([
      { name: 'z', type: 'gauge', help: 'Z.', samples },
      { name: 'empty', type: 'gauge', help: 'E.', samples: [] },
      { name: 'a_total', type: 'counter', help: 'A.', samples: [{ labels: {}, value: 1 }] },
    ]),
  ).toBe(
    '# HELP a_total A.\n# TYPE a_total counter\na_total 1\n' +
      '# HELP z Z.\n# TYPE z gauge\n' +
      'z{a="x",pod="a\\n"} 0.5\nz{a="x",pod="b\\"\\\\"} 1.5e+06 1000\n',
  );
});
