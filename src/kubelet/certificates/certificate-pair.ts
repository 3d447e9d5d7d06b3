/**
 * Parses a certificate and its private key, and checks that they match.
 *
 * `cert` may be a chain: the node's own certificate first, then the intermediate ones.
 */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { HeldCertificate } from '../../core/certificates/rotation.ts';
import { readCertificate, readCertificateNames } from '../../lib/x509/read-certificate.ts';
import { certificateUnusable, reasonOf } from './certificate-errors.ts';

export interface CertificatePair extends HeldCertificate {
  /** PEMs. */
  readonly cert: string;
  readonly key: string;
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g;
const KEY =
  /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\w+/=\s]+-----END (?:[A-Z]+ )?PRIVATE KEY-----/;

/** Each text may also contain the other part. Throws CERTIFICATE_UNUSABLE. */
export function readPair(certText: string, keyText: string, from: string): CertificatePair {
  const certs = certText.match(CERTIFICATES) ?? [];
  const [first] = certs;
  if (first === undefined) throw certificateUnusable({ from, reason: 'there is none' });
  try {
    const own = new X509Certificate(first);
    const key = keyIn(keyText);
    if (!own.checkPrivateKey(createPrivateKey(key))) {
      throw new Error('the private key does not match it');
    }
    const { subject, notBeforeMs, notAfterMs } = readCertificate(own.raw);
    const { commonName, organizations } = subject;
    const names = readCertificateNames(own.raw);
    const cert = `${certs.join('\n')}\n`;
    return { cert, key, commonName, organizations, ...names, notBeforeMs, notAfterMs };
  } catch (error) {
    throw certificateUnusable({ from, reason: reasonOf(error) }, error);
  }
}

/** The PEM of the private key in a text. Throws a plain error if there is none. */
export function keyIn(text: string): string {
  const key = KEY.exec(text)?.[0];
  if (key === undefined) throw new Error('there is no private key');
  return `${key}\n`;
}

/** On P-256, which is fast to generate, and in the form in which the kubelet writes keys. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}
