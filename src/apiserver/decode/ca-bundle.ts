/**
 * Reads the CA bundle of a webhook. As in kube-apiserver, a configuration may be stored with a bundle that
 * holds no certificate: some programs create a webhook with a placeholder and write the bundle later. A call
 * fails until then, and never falls back to the system's CAs.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { writePem } from '../../lib/x509/pem.ts';
import { readCertificate } from '../../lib/x509/read-certificate.ts';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\s([\w+/=\s]*)-----END \1-----/g;

/** The certificates of the bundle, in PEM; others are left out. Throws an Error that says what is wrong. */
export function readCaBundle(encoded: string): string {
  const blocks = [...Buffer.from(encoded, 'base64').toString('latin1').matchAll(BLOCK)];
  const certificates = blocks
    .filter(([, label]) => label === 'CERTIFICATE')
    .map(([, , content = '']) => Buffer.from(content, 'base64'));
  const valid = certificates.filter(isCertificate);
  if (valid.length > 0) return valid.map((der) => writePem('CERTIFICATE', der)).join('');
  const why = certificates.length > 0 ? MALFORMED : blocks.length > 0 ? OTHERS : NO_PEM;
  throw new Error(`unable to load root certificates: ${why}`);
}

const NO_PEM = 'unable to parse bytes as PEM block';
const OTHERS = 'no valid certificate authority data seen';
const MALFORMED = 'failed to parse certificate: x509: malformed certificate';

function isCertificate(der: Uint8Array): boolean {
  try {
    readCertificate(der);
    return true;
  } catch (error) {
    if (error instanceof PodkeepError) return false;
    throw error;
  }
}
