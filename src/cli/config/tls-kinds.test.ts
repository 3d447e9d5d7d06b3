import { getCiphers } from 'node:tls';
import { expect, test } from 'vitest';
import { listenerTlsOf } from './tls-kinds.ts';

test('by default the listener offers what Node offers', () => {
  expect(listenerTlsOf({ tlsMinVersion: '', tlsCipherSuites: [] })).toEqual({});
});

test('a version and suites in Go’s words are those of OpenSSL', () => {
  const tlsCipherSuites = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'];
  const { minVersion, ciphers = '' } = listenerTlsOf({
    tlsMinVersion: 'VersionTLS13',
    tlsCipherSuites,
  });
  expect(minVersion).toBe('TLSv1.3');
  expect(ciphers.split(':')).toContain('ECDHE-RSA-AES128-GCM-SHA256');
  const known = new Set(getCiphers());
  expect(ciphers.split(':').filter((name) => !known.has(name.toLowerCase()))).toEqual([]);
});
