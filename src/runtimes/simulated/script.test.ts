import { expect, test } from 'vitest';
import type { ContainerConfig } from '../../ports/runtime/container-config.ts';
import { scriptsOf } from './script.ts';

function container(name: string, image: string, attempt = 0) {
  const config = { name, image, attempt } as ContainerConfig;
  return { podName: 'web', namespace: 'n', config };
}

test('a script is chosen by the name of the container, or else by its image', () => {
  const scripts = scriptsOf({
    containers: { main: { exitCode: 1 } },
    images: { 'busy:1': { exitCode: 2 } },
  });
  expect(scripts(container('main', 'busy:1'))).toEqual({ exitCode: 1 });
  expect(scripts(container('other', 'busy:1'))).toEqual({ exitCode: 2 });
  expect(scripts(container('other', 'else:1'))).toEqual({});
});

test('each run may have its own script, and the last is for all that follow', () => {
  const scripts = scriptsOf({ containers: { main: [{ exitCode: 1 }, { exitCode: 2 }] } });
  const codes = [0, 1, 2, 9].map((attempt) => scripts(container('main', 'x', attempt)).exitCode);
  expect(codes).toEqual([1, 2, 2, 2]);
});

test('a container named constructor is not special', () => {
  expect(scriptsOf({ containers: {} })(container('constructor', '__proto__'))).toEqual({});
});
