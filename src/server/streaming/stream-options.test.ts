import { expect, test } from 'vitest';
import { queryOf, readCommandOptions, readPorts } from './stream-options.ts';

test('the kubelet calls stdin, stdout and stderr input, output and error', () => {
  const query = queryOf('https://node/exec/ns/p/c?input=1&output=1&error=1&command=a');
  expect(readCommandOptions(query)).toEqual({
    stdin: true,
    stdout: true,
    stderr: true,
    tty: false,
  });
});

test('a terminal has no stderr', () => {
  const query = new URLSearchParams('output=1&error=1&tty=1');
  expect(readCommandOptions(query)).toEqual({
    stdin: false,
    stdout: true,
    stderr: false,
    tty: true,
  });
});

test('a request without any stream is refused', () => {
  const message = 'you must specify at least 1 of stdin, stdout, stderr';
  expect(readCommandOptions(queryOf('https://node/exec/ns/p/c'))).toEqual({ code: 400, message });
  expect(readCommandOptions(new URLSearchParams('tty=1&error=1'))).toEqual({ code: 400, message });
});

test.each([
  ['port=80,443&port=8080', [80, 443, 8080]],
  ['', { code: 400, message: 'query parameter "port" is required' }],
  ['port=', { code: 400, message: 'query parameter "port" cannot be empty' }],
  ['port=0', { code: 400, message: 'port "0" must be > 0' }],
  [
    'port=x',
    {
      code: 400,
      message: 'unable to parse "x" as a port: strconv.ParseUint: parsing "x": invalid syntax',
    },
  ],
  [
    'port=65536',
    {
      code: 400,
      message:
        'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range',
    },
  ],
  [
    `port=${Array(128).fill(1).join(',')}`,
    { code: 400, message: 'at most 127 ports fit into a WebSocket' },
  ],
])('the ports of %s', (query, expected) => {
  expect(readPorts(new URLSearchParams(query))).toEqual(expected);
});
