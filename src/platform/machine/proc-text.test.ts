import { expect, test } from 'vitest';
import {
  availableMemoryOf,
  readDefaultInterface,
  readMemoryInfo,
  readPrettyName,
  readTaskCount,
} from './proc-text.ts';

const MEMORY = `MemTotal:       1000 kB
MemFree:         300 kB
Buffers:          20 kB
Cached:          400 kB
SwapCached:        0 kB
Inactive(file):  150 kB
AnonPages:       200 kB
HugePages_Total:   7
`;

test('amounts of memory are bytes, and counts are counts', () => {
  const amounts = readMemoryInfo(MEMORY);
  expect(amounts.get('MemTotal')).toBe(1000 * 1024);
  expect(amounts.get('HugePages_Total')).toBe(7);
});

test('inactive file pages are available memory', () => {
  expect(availableMemoryOf(readMemoryInfo(MEMORY))).toBe((1000 - (200 + 20 + 400 - 150)) * 1024);
  expect(availableMemoryOf(readMemoryInfo(''))).toBeNull();
});

test('the number of tasks is behind the slash', () => {
  expect(readTaskCount('1.36 3.49 4.53 2/3518 3715089')).toBe(3518);
  expect(readTaskCount('')).toBeNull();
});

test.each([
  [
    'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    'Debian GNU/Linux 12 (bookworm)',
  ],
  ["PRETTY_NAME='Alpine'\n", 'Alpine'],
  ['PRETTY_NAME=Arch', 'Arch'],
  ['NAME=Nobody', null],
])('the name of a system: %j', (text, name) => {
  expect(readPrettyName(text)).toBe(name);
});

test('of several default routes the cheapest counts, and others do not', () => {
  const route = (name: string, destination: string, flags: string, metric: number): string =>
    [name, destination, '010000C0', flags, 0, 0, metric, destination, 0, 0, 0].join('\t');
  const text = [
    'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT',
    route('wlan0', '00000000', '0003', 600),
    route('down0', '00000000', '0002', 1),
    route('eth0', '00000000', '0003', 100),
    route('eth1', '000011AC', '0001', 0),
  ].join('\n');
  expect(readDefaultInterface(text)).toBe('eth0');
  expect(readDefaultInterface('')).toBeNull();
});
