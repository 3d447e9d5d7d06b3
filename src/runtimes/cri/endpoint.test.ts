import { expect, test } from 'vitest';
import { socketPathOf } from './endpoint.ts';

test('an endpoint is a unix socket, with or without its scheme', () => {
  expect(socketPathOf('unix:///run/containerd/containerd.sock')).toBe(
    '/run/containerd/containerd.sock',
  );
  expect(socketPathOf('/run/crio/crio.sock')).toBe('/run/crio/crio.sock');
});

test.each([
  ['tcp://127.0.0.1:1234', 'only unix sockets are supported, not tcp'],
  ['unix://containerd.sock', 'is not absolute'],
  ['', 'is not absolute'],
  [`unix:///${'x'.repeat(200)}`, 'is too long'],
])('%s is refused with a reason', (endpoint, words) => {
  expect(() => socketPathOf(endpoint)).toThrow(words);
});
