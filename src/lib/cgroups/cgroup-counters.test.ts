import { expect, test } from 'vitest';
import { parseBlkio, parseIoStat, parseThrottling } from './cgroup-counters.ts';

const V1 = 'nr_periods 297\nnr_throttled 210\nthrottled_time 14750123456\nwait_sum 5\n';
const V2 =
  'usage_usec 91234\nuser_usec 80000\nsystem_usec 11234\nnr_periods 297\nnr_throttled 210\n' +
  'throttled_usec 14750123\nnr_bursts 0\nburst_usec 0\n';

test('throttling of version 1 is in nanoseconds, of version 2 in microseconds', () => {
  expect(parseThrottling(V1, '30000')).toEqual({
    periods: 297,
    throttledPeriods: 210,
    throttledSeconds: 14.750123456,
  });
  expect(parseThrottling(V2, '30000 100000')?.throttledSeconds).toBe(14.750123);
});

test.each([
  ['version 1 without a quota', V1, '-1'],
  ['version 2 without a quota', V2, 'max 100000'],
  ['a kernel without quotas', 'usage_usec 5\nuser_usec 5\nsystem_usec 0\n', '30000 100000'],
  ['no file', '', ''],
])('%s: no throttling is known', (_what, stat, quota) => {
  expect(parseThrottling(stat, quota)).toBeNull();
});

test('io.stat has one line for each device, and some devices have no figures', () => {
  const text =
    '253:0 rbytes=1228800 wbytes=4096 rios=30 wios=1 dbytes=0 dios=0\n7:0 \n' +
    '8:16 rbytes=512 wbytes=0 rios=1 wios=0 dbytes=0 dios=0 cost.usage=5\n';
  expect(parseIoStat(text)).toEqual([
    { major: 253, minor: 0, bytes: { Read: 1_228_800, Write: 4096, Discard: 0 } },
    { major: 8, minor: 16, bytes: { Read: 512, Write: 0, Discard: 0 } },
  ]);
});

test('blkio has one line for each device and operation, and a sum that is no device', () => {
  const text =
    '254:0 Read 1228800\n254:0 Write 4096\n254:0 Sync 1232896\n254:0 Async 0\n' +
    '254:0 Discard 0\n254:0 Total 1232896\nTotal 1232896\n';
  expect(parseBlkio(text)).toEqual([
    {
      major: 254,
      minor: 0,
      bytes: {
        Read: 1_228_800,
        Write: 4096,
        Sync: 1_232_896,
        Async: 0,
        Discard: 0,
        Total: 1_232_896,
      },
    },
  ]);
  expect(parseBlkio('Total 0\n')).toEqual([]);
});
