import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { podHostname } from './pod-hostname.ts';

const DOMAIN = 'cluster.local';

test('a pod is named as its spec asks, or as it is', () => {
  expect(podHostname(livePod('web'), DOMAIN)).toBe('web');
  expect(podHostname(livePod('web', { hostname: 'db' }), DOMAIN)).toBe('db');
  expect(podHostname(livePod('web', { hostnameOverride: 'a.b' }), DOMAIN)).toBe('a.b');
});

test('a long name is cut, and does not end in a dash or a dot', () => {
  expect(podHostname(livePod(`${'a'.repeat(62)}-b`), DOMAIN)).toBe('a'.repeat(62));
  expect(podHostname(livePod('a'.repeat(70)), DOMAIN)).toHaveLength(63);
});

test('a pod that wants its full domain name as its name gets it, if it fits', () => {
  const spec = { hostname: 'db', subdomain: 'data', setHostnameAsFQDN: true };
  expect(podHostname(livePod('web', spec), DOMAIN)).toBe('db.data.rec.svc.cluster.local');
  const long = { ...spec, subdomain: 'x'.repeat(60) };
  expect(() => podHostname(livePod('web', long), DOMAIN)).toThrow('is too long');
});
