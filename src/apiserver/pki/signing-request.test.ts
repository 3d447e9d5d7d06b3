import { generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../platform/seeded-random.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { issueLeaf } from './certificate.ts';
import {
  bitString,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  tagged,
} from '../../lib/x509/der.ts';
import { writeSubject } from '../../lib/x509/distinguished-name.ts';
import { altNamesOf, SUBJECT_ALT_NAME } from '../../lib/x509/extensions.ts';
import { writePem } from '../../lib/x509/pem.ts';
import { createPki } from './pki.ts';
import { readSigningRequest } from '../../lib/x509/signing-request.ts';

const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

/** openssl req -new -newkey rsa:2048 -subj /O=a/O=b/CN=jane -addext subjectAltName=… */
const FROM_OPENSSL = `-----BEGIN CERTIFICATE REQUEST-----
MIICrDCCAZQCAQAwJzEKMAgGA1UECgwBYTEKMAgGA1UECgwBYjENMAsGA1UEAwwE
amFuZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAJPZjNOCJJ2flJa4
r9uf0JggIK/d+Tvp3o496Lgri7l6w1X6ZPGAgaR6RLh3Kx7WVD5MH1wrMQvXLz5n
aqyxnMplt+uA66poOVxJvwbQUOn4KaEzOqMYe1NKlkYxPT8EFdYEs8V7xp3ctMkl
UGs39SqnVYj6HBDoXrp7Kuddm8wOejdjLYb6ZGIJu85euFNo17YgkvWbOVMxWgsZ
8h8NGjgzR3nOya6XqV0EnhByydN//DRipZl2oBSk5bpIEIdF5PR8tXzGSwwdLZoE
rsAGgm3rLMYI0r2aIWiJNw23yczlaOocA7rcmg2j8+QEG3ZUGNy/saMJgEKIjLTj
aHytG78CAwEAAaBAMD4GCSqGSIb3DQEJDjExMC8wLQYDVR0RBCYwJIIJeC5leGFt
cGxlgQtqQHguZXhhbXBsZYYKc3BpZmZlOi8veDANBgkqhkiG9w0BAQsFAAOCAQEA
W43P0YQRcffYvESsOEqXCHaGPTI7IWqqpKPXTGZnXxjWL8mdscgBjW4+SSJLKX0b
QdCO3YpQlETsKOQXOcZDzsZE3ZrNGBI7FfcPMm9YYzsM8EJS382/MeQeCsG3aKr/
L3F23fFMwRZuidwe9h3QsrulYjE/9xtzp2wkBLJ1qRZCkOqMGu4kmerzvv4Tfdme
EbToF0nGFSqNYXhrVGoJNtJsDjyXLlk/yWfIUeBfwB57itYCdFt/t0Az79fQUbaj
TMzUV31PYmEBUUaCpj3zGEREzZF2Fq9DA/22dfGyDDeoEpj7Wx89mFPgAy8rxmhe
8NLhTSXwQFg/hIplgc8t7w==
-----END CERTIFICATE REQUEST-----
`;

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const makeKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

function makeRequest(keys: Keys, signer: Keys = keys, algorithm = ECDSA_SHA256): string {
  const names = altNamesOf(['n1.example'], ['10.0.0.7', 'fd00::7']);
  const extension = sequence(oid(SUBJECT_ALT_NAME), octetString(sequence(...names)));
  const info = sequence(
    integer(Buffer.from([0])),
    writeSubject(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0, 'constructed', sequence(oid(EXTENSION_REQUEST), setOf(sequence(extension)))),
  );
  const signature = bitString(sign('sha256', info, signer.privateKey));
  const whole = sequence(info, sequence(oid(algorithm)), signature);
  return Buffer.from(writePem('CERTIFICATE REQUEST', whole)).toString('base64');
}

describe('a request', () => {
  test('has the subject and the alternative names', () => {
    expect(readSigningRequest(makeRequest(makeKeys()))).toMatchObject({
      subject: { ...subject, uids: [] },
      dnsNames: ['n1.example'],
      addresses: ['10.0.0.7', 'fd00::7'],
      emails: [],
      uris: [],
    });
  });

  test('must be signed by the key that it names', () => {
    const forged = makeRequest(makeKeys(), makeKeys());
    expect(() => readSigningRequest(forged)).toThrow(
      expect.objectContaining({ code: 'SIGNING_REQUEST_FORGED' }),
    );
    const unknown = makeRequest(makeKeys(), undefined, '1.2.3');
    expect(() => readSigningRequest(unknown)).toThrow(/unknown algorithm 1\.2\.3/);
  });

  test('must be a request', () => {
    expect(() => readSigningRequest('aGVsbG8=')).toThrow(
      expect.objectContaining({ code: 'PEM_MISSING' }),
    );
  });

  test('of another program with another kind of key is parsed as well', () => {
    expect(readSigningRequest(Buffer.from(FROM_OPENSSL).toString('base64'))).toMatchObject({
      subject: { commonName: 'jane', organizations: ['a', 'b'] },
      dnsNames: ['x.example'],
      emails: ['j@x.example'],
      uris: ['spiffe://x'],
    });
  });
});

test('a certificate for a request carries its key and its names', async () => {
  const clock = new VirtualClock();
  const random = seededRandom(5);
  const { caCert: cert, caKey: key } = await createPki({ clock, random });
  const keys = makeKeys();
  const request = readSigningRequest(makeRequest(keys));
  const validity = { notBeforeMs: clock.now(), notAfterMs: clock.now() + 1000 };
  const leaf = issueLeaf({ cert, key }, { ...request, ...validity, uses: ['server'] }, random);
  const read = new X509Certificate(leaf);
  expect(read.checkPrivateKey(keys.privateKey)).toBe(true);
  expect(read.checkHost('n1.example')).toBe('n1.example');
  expect(read.checkIP('fd00::7')).toBe('fd00::7');
  expect(read.verify(new X509Certificate(cert).publicKey)).toBe(true);
});
