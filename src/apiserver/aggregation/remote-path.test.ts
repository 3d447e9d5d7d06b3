import { expect, test } from 'vitest';
import { readResourcePath } from '../requests/request-info.ts';
import { checkRemotePath } from './remote-path.ts';

const check = (path: string): void => checkRemotePath(path, readResourcePath(path));

test('a path that both servers read alike goes on', () => {
  expect(() => check('/apis/g.io/v1/namespaces/x/things')).not.toThrow();
  expect(() => check('/apis/g.io/v1/namespaces/x/things/n/status')).not.toThrow();
});

test.each([
  '/apis/g.io/v1/w%61tch/namespaces/x/things',
  '/apis/g.io/v1/namespace%73/x/things',
  '/apis/g.io/v1/namespaces/x/things/n/st%61tus',
  '/apis/g.io/v1/namespaces/x/things/n/proxy/%ff%2f..%2f..%2fb',
  '/apis/g.io/v1/namespaces/x/../y/things',
  '/apis/g.io/v1//things',
])('%s could mean something else to the other server, and is refused', (path) => {
  expect(() => check(path)).toThrow('is ambiguous');
});
