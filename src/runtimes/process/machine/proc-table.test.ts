import { expect, test } from 'vitest';
import {
  familyOf,
  isAlive,
  parseStat,
  readPageBytes,
  readProcess,
  signalProcess,
  type ProcessEntry,
} from './proc-table.ts';

const STAT =
  '17 (a ) b) S 5 17 17 0 -1 4194304 100 0 2 0 3 4 5 6 20 0 1 0 2345 1000 250 18446744073709551615';

test('a name with spaces and brackets does not shift the fields', () => {
  expect(parseStat(STAT)).toEqual({
    pid: 17,
    state: 'S',
    parent: 5,
    session: 17,
    pageFaults: 100,
    majorPageFaults: 2,
    cpuTicks: 18,
    start: '2345',
    residentPages: 250,
  });
  expect(parseStat('')).toBeUndefined();
});

test.runIf(process.platform === 'linux')(
  'this process is alive, and one with its ID and another start is not',
  () => {
    const own = readProcess(process.pid);
    expect(own && isAlive(own, true)).toBe(true);
    expect(isAlive({ pid: process.pid, start: '1' }, true)).toBe(false);
    expect(signalProcess({ pid: process.pid, start: '1' }, 'SIGKILL', true)).toBe(false);
    expect([4096, 16_384, 65_536]).toContain(readPageBytes());
  },
);

const entry = (pid: number, parent: number, session = 0): ProcessEntry => ({
  pid,
  parent,
  session,
  start: String(pid),
  state: 'S',
  cpuTicks: 0,
  residentPages: 0,
  pageFaults: 0,
  majorPageFaults: 0,
});

test('a family is all descendants of one process', () => {
  const table = [entry(1, 0), entry(10, 1), entry(11, 10), entry(12, 11), entry(20, 1)];
  const pids = familyOf({ pid: 10, start: '10' }, table).map(({ pid }) => pid);
  expect(new Set(pids)).toEqual(new Set([10, 11, 12]));
});

test('orphans that stayed in the session belong to it, even when its leader is gone', () => {
  const table = [entry(1, 0), entry(11, 1, 10), entry(12, 11, 10), entry(20, 1, 20)];
  const pids = familyOf({ pid: 10, start: '10' }, table, 10).map(({ pid }) => pid);
  expect(new Set(pids)).toEqual(new Set([11, 12]));
  expect(familyOf({ pid: 10, start: '10' }, table)).toEqual([]);
});
