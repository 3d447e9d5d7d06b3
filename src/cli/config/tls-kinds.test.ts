import { getCiphers } from 'node:tls';
import { expect, test } from 'vitest';
import { doorTlsOf } from './tls-kinds.ts';

test('without a word the door speaks as Node does', () => {
  expect(doorTlsOf({ tlsMinVersion: '', tlsCipherSuites: [] })).toEqual({});
});

test('a version and suites in Go’s words are those of OpenSSL', () => {
  const tlsCipherSuites = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'];
  const { minVersion, ciphers = '' } = doorTlsOf({
    tlsMinVersion: 'VersionTLS13',
    tlsCipherSuites,
  });
  expect(minVersion).toBe('TLSv1.3');
  expect(ciphers.split(':')).toContain('ECDHE-RSA-AES128-GCM-SHA256');
  const known = new Set(getCiphers());
  expect(ciphers.split(':').filter((name) => !known.has(name.toLowerCase()))).toEqual([]);
});
