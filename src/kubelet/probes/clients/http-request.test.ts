import { describe, expect, test } from 'vitest';
import { container } from '../../../../test/support/pod-parts.ts';
import type { HttpGetAction, RunContainer } from '../../../api/run-spec.ts';
import { httpProbeRequest } from './http-request.ts';

const WEB: RunContainer = {
  ...container('web'),
  ports: [{ name: 'http', containerPort: 8080 }],
};

function requestOf(action: Partial<HttpGetAction>, podIP = '10.0.0.7') {
  return httpProbeRequest({ port: 80, ...action }, WEB, podIP);
}

describe('the URL', () => {
  test.each<[string, Partial<HttpGetAction>, string, string]>([
    ['the pod', { path: '/' }, '10.0.0.7', 'http://10.0.0.7:80/'],
    ['a pod with IPv6', { path: '/' }, 'fd00::7', 'http://[fd00::7]:80/'],
    ['another host', { host: 'example.com', path: '/' }, '10.0.0.7', 'http://example.com:80/'],
    ['HTTPS', { scheme: 'HTTPS', path: '/' }, '10.0.0.7', 'https://10.0.0.7:80/'],
    ['a port by its name', { port: 'http', path: '/' }, '10.0.0.7', 'http://10.0.0.7:8080/'],
    ['a port as text', { port: '99', path: '/' }, '10.0.0.7', 'http://10.0.0.7:99/'],
    ['no path', {}, '10.0.0.7', 'http://10.0.0.7:80'],
    ['a path without its slash', { path: 'a' }, '10.0.0.7', 'http://10.0.0.7:80/a'],
    ['a space', { path: '/a b?c=d e' }, '10.0.0.7', 'http://10.0.0.7:80/a%20b?c=d%20e'],
    ['a broken escape', { path: '/a%zz?b' }, '10.0.0.7', 'http://10.0.0.7:80/a%25zz%3Fb'],
    ['an escape', { path: '/a%2Fb/../c' }, '10.0.0.7', 'http://10.0.0.7:80/a%2Fb/../c'],
    ['a fragment', { path: '/a?q=1#frag' }, '10.0.0.7', 'http://10.0.0.7:80/a?q=1#frag'],
    ['three slashes', { path: '///y' }, '10.0.0.7', 'http://10.0.0.7:80///y'],
    ['a query alone', { path: '?a=b' }, '10.0.0.7', 'http://10.0.0.7:80?a=b'],
    ['a URL', { path: 'http://x.com:1/y' }, '10.0.0.7', 'http://10.0.0.7:80/y'],
    ['letters', { path: '/é' }, '10.0.0.7', 'http://10.0.0.7:80/%C3%A9'],
  ])('%s', (_case, action, podIP, url) => {
    expect(requestOf(action, podIP).url).toBe(url);
  });

  test('the fragment is not sent', () => {
    expect(requestOf({ path: '/a?q=1#frag' }).target).toBe('/a?q=1');
  });

  test.each<[number | string, string]>([
    ['nope', 'strconv.Atoi: parsing "nope": invalid syntax'],
    [0, 'invalid port number: 0'],
    ['70000', 'invalid port number: 70000'],
  ])('port %s does not exist', (port, message) => {
    expect(() => requestOf({ port })).toThrow(message);
  });
});

describe('headers', () => {
  test('it has a user agent, and accepts any type', () => {
    const { headers, hostHeader } = requestOf({});
    expect([...headers]).toEqual([
      ['user-agent', ['kube-probe/1.36']],
      ['accept', ['*/*']],
    ]);
    expect(hostHeader).toBeNull();
  });

  test('all can be replaced, and an empty Accept is omitted', () => {
    const httpHeaders = [
      { name: 'user-agent', value: 'me' },
      { name: 'Accept', value: '' },
      { name: 'Host', value: 'shop.example' },
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
      { name: '__proto__', value: '3' },
    ];
    const { headers, hostHeader } = requestOf({ httpHeaders });
    expect([...headers]).toEqual([
      ['user-agent', ['me']],
      ['x-a', ['1', '2']],
      ['__proto__', ['3']],
    ]);
    expect(hostHeader).toBe('shop.example');
  });
});
