import { describe, expect, test } from 'vitest';
import { NODE_SETTINGS_DEFAULT } from './node-settings.ts';
import { parseThresholds, type EvictionSignal } from './eviction-threshold.ts';
import { pressuresAt, rememberPressure } from './pressure.ts';

const PERIOD_MS = 300_000;
const MIB = 1024 ** 2;
const thresholds = parseThresholds(NODE_SETTINGS_DEFAULT.evictionHard);

function seen(signal: EvictionSignal, available: number, capacity: number): readonly string[] {
  const memory = rememberPressure(
    new Map(),
    thresholds,
    new Map([[signal, { available, capacity }]]),
    7,
  );
  return [...pressuresAt(memory, PERIOD_MS, 7)];
}

describe('thresholds', () => {
  test.each([
    ['memory.available', 100 * MIB - 1, 8e9, ['MemoryPressure']],
    ['memory.available', 100 * MIB, 8e9, []],
    ['nodefs.available', 99, 1000, ['DiskPressure']],
    ['nodefs.available', 100, 1000, []],
    ['nodefs.inodesFree', 49, 1000, ['DiskPressure']],
    ['imagefs.available', 149, 1000, ['DiskPressure']],
    ['imagefs.inodesFree', 50, 1000, []],
    ['pid.available', 1, 1000, []],
  ] as const)('%s: %d of %d', (signal, available, capacity, pressures) => {
    expect(seen(signal, available, capacity)).toEqual(pressures);
  });

  test('process IDs press only where somebody has set a threshold for them', () => {
    const pids = parseThresholds({ 'pid.available': '10%' });
    const memory = rememberPressure(
      new Map(),
      pids,
      new Map([['pid.available', { available: 99, capacity: 1000 }]]),
      0,
    );
    expect([...pressuresAt(memory, PERIOD_MS, 0)]).toEqual(['PIDPressure']);
  });

  test('a file system that counts no inodes is not short of them', () => {
    expect(seen('nodefs.inodesFree', 0, 0)).toEqual([]);
  });

  test('0% and 100% switch a threshold off', () => {
    expect(parseThresholds({ 'nodefs.available': '0%', 'imagefs.available': '100%' })).toEqual([]);
  });

  test.each([
    [{ 'disk.available': '1Gi' }, 'does not exist'],
    [{ 'memory.available': '110%' }, 'not between'],
    [{ 'memory.available': 'much%' }, 'not between'],
    [{ 'memory.available': 'much' }, 'neither'],
    [{ 'memory.available': '-1' }, 'not positive'],
  ])('%j is refused', (texts, problem) => {
    expect(() => parseThresholds(texts as Record<string, string>)).toThrow(problem);
    expect(() => parseThresholds(texts as Record<string, string>)).toThrow(
      expect.objectContaining({ code: 'EVICTION_THRESHOLD_INVALID' }),
    );
  });
});

describe('time', () => {
  const low = new Map([['memory.available', { available: 1, capacity: 8e9 }]] as const);
  const fine = new Map([['memory.available', { available: 7e9, capacity: 8e9 }]] as const);

  test('a pressure lasts for the whole period after it was last seen', () => {
    let memory = rememberPressure(new Map(), thresholds, low, 0);
    memory = rememberPressure(memory, thresholds, low, 10_000);
    memory = rememberPressure(memory, thresholds, fine, 20_000);
    expect(pressuresAt(memory, PERIOD_MS, 10_000 + PERIOD_MS - 1).size).toBe(1);
    expect(pressuresAt(memory, PERIOD_MS, 10_000 + PERIOD_MS).size).toBe(0);
  });

  test('without a period it lasts as long as it is seen', () => {
    const memory = rememberPressure(new Map(), thresholds, low, 5);
    expect([pressuresAt(memory, 0, 5).size, pressuresAt(memory, 0, 6).size]).toEqual([1, 0]);
  });
});
