import { expect, test } from 'vitest';
import { apiZpages } from './zpages-handler.ts';
import { readUrl } from '../requests/request-url.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const version = { major: '1', minor: '36', gitVersion: 'v1.36.4+podkeep-1', goVersion: 'node24' };
const flags = { port: '6443' };

function ask(path: string, accept = '', given: { flags?: typeof flags } = { flags }) {
  const handler = apiZpages({ clock: new VirtualClock(), version, ...given });
  const url = `http://podkeep${path}`;
  const headers = new Headers(accept === '' ? {} : { accept });
  return handler({ method: 'GET', url, headers, body: null }, readUrl(url));
}

test('the API server has /statusz and /flagz', () => {
  expect(ask('/statusz')).toMatchObject({
    status: 200,
    body: expect.stringContaining('kube-apiserver statusz\n'),
  });
  expect(ask('/statusz')).toMatchObject({
    body: expect.stringContaining('Binary version: 1.36.4\n'),
  });
  expect(ask('/flagz')).toMatchObject({ body: expect.stringContaining('\nport=6443\n') });
});

test('flags that are not given are not served, and other paths are not answered here', () => {
  expect(ask('/flagz', '', {})).toBeNull();
  expect(ask('/version')).toBeNull();
});

test('an object is answered to clients that name its kind, and other forms are refused', () => {
  expect(ask('/flagz', 'application/json;as=Flagz;g=config.k8s.io;v=v1beta1')).toMatchObject({
    status: 200,
    body: expect.stringContaining('"flags":{"port":"6443"}'),
  });
  expect(ask('/flagz', 'application/json')).toMatchObject({ status: 406 });
});
