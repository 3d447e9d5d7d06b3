import { expect, test } from 'vitest';
import { dialMessage, socketErrorOf } from './dial-messages.ts';

function socketError(fields: object): Error {
  return Object.assign(new Error('something else'), fields);
}

const REFUSED = {
  code: 'ECONNREFUSED',
  syscall: 'connect',
  address: '10.0.0.7',
  port: 80,
};

test.each<[string, object, string | null]>([
  ['a refusal', REFUSED, 'dial tcp 10.0.0.7:80: connect: connection refused'],
  [
    'IPv6',
    { ...REFUSED, address: 'fd00::7' },
    'dial tcp [fd00::7]:80: connect: connection refused',
  ],
  [
    'no way there',
    { ...REFUSED, code: 'EHOSTUNREACH' },
    'dial tcp 10.0.0.7:80: connect: no route to host',
  ],
  [
    'what has no name here',
    { ...REFUSED, code: 'EODD' },
    'dial tcp 10.0.0.7:80: connect: something else',
  ],
  [
    'a name that does not exist',
    { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nope.invalid' },
    'dial tcp: lookup nope.invalid: no such host',
  ],
  [
    'a name that nobody could look up',
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: 'nope.invalid' },
    'dial tcp: lookup nope.invalid: server misbehaving',
  ],
  ['what happened later', { code: 'ECONNRESET', syscall: 'read' }, null],
])('%s has the message of Go', (_case, fields, words) => {
  expect(dialMessage(socketErrorOf(socketError(fields)), 'shop:80')).toBe(words);
});

test('a pod without an address is shown without one', () => {
  expect(dialMessage(socketErrorOf(socketError(REFUSED)), ':80')).toBe(
    'dial tcp :80: connect: connection refused',
  );
});

test('of several addresses the first failure counts', () => {
  const errors = [socketError(REFUSED), socketError({ ...REFUSED, address: '10.0.0.8' })];
  expect(dialMessage(socketErrorOf(new AggregateError(errors)), 'shop:80')).toBe(
    'dial tcp 10.0.0.7:80: connect: connection refused',
  );
});

test('a value that is no error has a message, too', () => {
  expect(socketErrorOf('odd').message).toBe('odd');
});
