import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { readSigningRequest } from './signing-request.ts';
import { writeSigningRequest } from './write-signing-request.ts';

const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

function readBack(pem: string): ReturnType<typeof readSigningRequest> {
  return readSigningRequest(Buffer.from(pem).toString('base64'));
}

test.each([
  ['an elliptic curve', generateKeyPairSync('ec', { namedCurve: 'prime256v1' })],
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('a request with a key of %s is signed by that key and has its names', (_name, keys) => {
  const dnsNames = ['n1', 'n1.example'];
  const addresses = ['10.0.0.1', 'fd00::1'];
  const pem = writeSigningRequest({ subject, dnsNames, addresses }, keys.privateKey);
  const read = readBack(pem);
  expect(read).toMatchObject({ subject, dnsNames, addresses });
  expect(Buffer.from(read.publicKey)).toEqual(
    keys.publicKey.export({ type: 'spki', format: 'der' }),
  );
});

test('a request without alternative names requests no extensions', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = writeSigningRequest({ subject, dnsNames: [], addresses: [] }, privateKey);
  expect(readBack(pem)).toMatchObject({ subject, dnsNames: [], addresses: [], altNames: [] });
});
