import { expect, test } from 'vitest';
import { isEndpoint, parseRuntime, runtimeChoice } from './runtime-choice.ts';

const SOCKET = 'unix:///run/containerd/containerd.sock';

test('the command line overrides the configuration, and that the default', () => {
  expect(runtimeChoice('simulated', { containerRuntimeEndpoint: SOCKET })).toBe('simulated');
  expect(runtimeChoice(undefined, { containerRuntimeEndpoint: SOCKET })).toBe(SOCKET);
  expect(runtimeChoice(undefined, { containerRuntimeEndpoint: '' })).toBe('process');
});

test('names and endpoints are accepted, and nothing else', () => {
  for (const text of ['process', 'simulated', SOCKET, '/run/crio/crio.sock']) {
    expect(parseRuntime(text)).toBe(text);
  }
  expect(() => parseRuntime('docker')).toThrow('unix:///run/containerd/containerd.sock');
  expect(isEndpoint('process')).toBe(false);
});
