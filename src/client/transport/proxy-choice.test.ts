import { expect, test } from 'vitest';
import { proxyFor } from './proxy-choice.ts';

const HTTPS_PROXY = 'http://proxy:3128';

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://api:6443', {}, undefined],
  ['https://api:6443', { HTTPS_PROXY }, HTTPS_PROXY],
  ['https://api:6443', { https_proxy: 'proxy:3128' }, HTTPS_PROXY],
  ['https://api:6443', { HTTP_PROXY: HTTPS_PROXY }, undefined],
  ['http://api:8080', { HTTP_PROXY: HTTPS_PROXY }, HTTPS_PROXY],
  ['https://localhost:6443', { HTTPS_PROXY }, undefined],
  ['https://127.0.0.2', { HTTPS_PROXY }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY }, undefined],
  ['https://api.work:6443', { HTTPS_PROXY, NO_PROXY: 'home, work' }, undefined],
  ['https://work:6443', { HTTPS_PROXY, NO_PROXY: '.work' }, HTTPS_PROXY],
  ['https://homework', { HTTPS_PROXY, NO_PROXY: 'work' }, HTTPS_PROXY],
  ['https://api:6443', { HTTPS_PROXY, NO_PROXY: '*' }, undefined],
  ['https://api:6443', { HTTPS_PROXY, NO_PROXY: 'api:443' }, HTTPS_PROXY],
  ['https://api:6443', { HTTPS_PROXY, NO_PROXY: 'API:6443' }, undefined],
  ['https://10.1.2.3:6443', { HTTPS_PROXY, NO_PROXY: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3:6443', { HTTPS_PROXY, NO_PROXY: '10.0.0.0/8' }, HTTPS_PROXY],
  ['https://[fd00::1]:6443', { HTTPS_PROXY, NO_PROXY: 'fd00::/8' }, undefined],
  ['https://10.1.2.3:6443', { HTTPS_PROXY, NO_PROXY: '10.1.2.3' }, undefined],
])('to %s with %o', (server, environment, proxy) => {
  expect(proxyFor(server, environment)).toBe(proxy);
});
