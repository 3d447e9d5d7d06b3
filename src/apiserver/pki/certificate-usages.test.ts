import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { readSigningRequest } from '../../lib/x509/signing-request.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import { makeCertificateRequest } from '../../../test/support/certificate-requests.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { issueLeaf } from './certificate.ts';
import { usesOfUsages } from './certificate-usages.ts';
import { createAuthority } from './pki.ts';

const clock = new VirtualClock();
const random = seededRandom(4);
const authority = await createAuthority({ clock, random });

function issue(usages: readonly string[]): X509Certificate {
  const request = readSigningRequest(makeCertificateRequest({ commonName: 'x' }));
  const validity = { notBeforeMs: clock.now(), notAfterMs: clock.now() + 1000 };
  const leaf = { ...request, ...validity, ...usesOfUsages(usages) };
  return new X509Certificate(issueLeaf(authority, leaf, random));
}

/** The extension keyUsage in DER: critical, and the bits that follow. */
const keyUsage = (hex: string): Buffer => Buffer.from(`0603551d0f0101ff04${hex}`, 'hex');

test.each([
  [['digital signature', 'client auth'], '0403020780', ['1.3.6.1.5.5.7.3.2']],
  [
    ['client auth', 'key encipherment', 'signing', 'server auth'],
    '04030205a0',
    ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
  ],
  [['decipher only', 'key agreement'], '050303070880', undefined],
  [['cert sign', 'any'], '0403020204', ['2.5.29.37.0']],
])('usages %j become these bits and purposes', (usages, bits, purposes) => {
  const leaf = issue(usages);
  expect(leaf.raw.includes(keyUsage(bits))).toBe(true);
  expect(leaf.keyUsage).toEqual(purposes);
  expect(leaf.ca).toBe(false);
});

test('without a usage of keys there is no such extension', () => {
  const leaf = issue(['server auth', 's/mime', 'email protection']);
  expect(leaf.raw.includes(Buffer.from('0603551d0f', 'hex'))).toBe(false);
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.4']);
});
