import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContainerResources } from '../../../ports/runtime/container-config.ts';
import {
  SeparateCgroups,
  UnifiedCgroups,
  weightOf,
  withoutLimits,
  writeSettings,
  type Cgroups,
} from './cgroups.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'podkeep-cgroups-'));
});

afterEach(() => rmSync(base, { recursive: true }));

/** Returns the folders of a new group. */
function make(groups: Cgroups, resources: ContainerResources): readonly string[] {
  const folders = groups.folders('a');
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeSettings(groups.settings(folders, resources));
  return folders;
}

const LIMITS = { memoryLimitBytes: 1000, cpuQuota: 50_000, cpuPeriod: 100_000, cpuShares: 1024 };

describe('version 2', () => {
  test('has one group with all limits', () => {
    const [folder = ''] = make(new UnifiedCgroups(base, true), LIMITS);
    const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
    expect(read('memory.max')).toBe('1000');
    expect(read('memory.oom.group')).toBe('1');
    expect(read('cpu.max')).toBe('50000 100000');
    expect(read('cpu.weight')).toBe('39');
  });

  test('removes a limit', () => {
    const groups = new UnifiedCgroups(base, true);
    const folders = make(groups, LIMITS);
    writeSettings(groups.settings(folders, withoutLimits({})));
    expect(readFileSync(path.join(folders[0] ?? '', 'memory.max'), 'utf8')).toBe('max');
    expect(readFileSync(path.join(folders[0] ?? '', 'cpu.max'), 'utf8')).toBe('max 100000');
  });

  test('reports usage, and how often the memory ran out', () => {
    const groups = new UnifiedCgroups(base, false);
    const folders = make(groups, {});
    const write = (name: string, text: string): void =>
      writeFileSync(path.join(folders[0] ?? '', name), text);
    expect(groups.usage(folders)).toEqual({});
    write('cpu.stat', 'usage_usec 12\nuser_usec 6\n');
    write('memory.current', '5000\n');
    write('memory.stat', 'anon 1\ninactive_file 1500\n');
    write('memory.events', 'oom 2\noom_kill 1\n');
    expect(groups.usage(folders)).toEqual({
      cpuNanoseconds: 12_000n,
      memoryBytes: 5000,
      workingSetBytes: 3500,
    });
    expect(groups.outOfMemoryKills(folders)).toBe(1);
  });
});

describe('version 1', () => {
  test('has a group for each controller, and writes to each only its own limits', () => {
    const bases = new Map(['memory', 'cpu'].map((kind) => [kind, path.join(base, kind)]));
    const groups = new SeparateCgroups(bases);
    const [memory = '', cpu = ''] = make(groups, {});
    expect(groups.settings([memory, cpu], {})).toEqual([]);
    writeSettings(groups.settings([memory, cpu], LIMITS));
    expect(readFileSync(path.join(memory, 'memory.limit_in_bytes'), 'utf8')).toBe('1000');
    expect(readFileSync(path.join(cpu, 'cpu.cfs_quota_us'), 'utf8')).toBe('50000');
    expect(readFileSync(path.join(cpu, 'cpu.shares'), 'utf8')).toBe('1024');
    expect(groups.limitsMemory && groups.limitsCpu).toBe(true);
    writeFileSync(path.join(memory, 'memory.oom_control'), 'under_oom 0\noom_kill 3\n');
    expect(groups.outOfMemoryKills([memory, cpu])).toBe(3);
  });
});

test('shares become weights of the same proportion', () => {
  expect([2, 1024, 262_144, 0, 1e9].map(weightOf)).toEqual([1, 39, 10_000, 1, 10_000]);
});
