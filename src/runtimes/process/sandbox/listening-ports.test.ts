import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { areListeners, parseListeners, socketsOf } from './listening-ports.ts';

test('only listening sockets count', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1',
    '   1: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 17 1',
    '   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 18 1',
    '',
  ].join('\n');
  expect(parseListeners(table)).toEqual([
    { address: '0100007F', port: 8080, inode: '4242' },
    { address: '00000000', port: 80, inode: '17' },
  ]);
  expect(parseListeners('')).toEqual([]);
});

const ANY_V6 = '0'.repeat(32);
const AT = { ip: '127.9.8.7', port: 80 };
const listener = (address: string, inode: string): ReturnType<typeof parseListeners>[number] => ({
  address,
  port: 80,
  inode,
});

test.each([
  ['its own address', [listener('0708097F', '1')], true],
  ['its own address, by IPv6', [listener('0000000000000000FFFF00000708097F', '1')], true],
  ['all addresses', [listener(ANY_V6, '1')], true],
  [
    'all addresses, and another program on this one',
    [listener('00000000', '1'), listener('0708097F', '2')],
    false,
  ],
  [
    'all IPv6 addresses, and another program on all IPv4 ones',
    [listener(ANY_V6, '1'), listener('00000000', '2')],
    false,
  ],
  [
    'one port together with another program',
    [listener('00000000', '1'), listener('00000000', '2')],
    false,
  ],
  ['nothing, and another program on all addresses', [listener('00000000', '2')], false],
  ['nothing', [], false],
])('a pod that listens on %s', (_title, tables, expected) => {
  expect(areListeners(new Set(['1']), AT, tables)).toBe(expected);
});

test.skipIf(process.platform !== 'linux')('the sockets of a process are found', async () => {
  const server: Server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const at = { ip: '127.0.0.1', port };
  expect(areListeners(socketsOf([process.pid]), at)).toBe(true);
  expect(areListeners(socketsOf([]), at)).toBe(false);
});
