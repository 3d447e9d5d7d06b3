import { expect, test } from 'vitest';
import { parseListeners } from './listening-ports.ts';

test('only those who listen count', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000',
    '   1: 00000000:0050 00000000:0000 0A 00000000:00000000',
    '   2: 0100007F:9C40 0100007F:1F90 01 00000000:00000000',
    '',
  ].join('\n');
  expect(parseListeners(table)).toEqual([
    { address: '0100007F', port: 8080 },
    { address: '00000000', port: 80 },
  ]);
  expect(parseListeners('')).toEqual([]);
});
