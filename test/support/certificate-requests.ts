/** Certificate requests as clients make them, with a key on P-256: PEM in base64. */
import { generateKeyPairSync } from 'node:crypto';
import { writeSigningRequest } from '../../src/lib/x509/write-signing-request.ts';

export interface RequestedName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

export function makeCertificateRequest(wanted: RequestedName): string {
  const { commonName, organizations = [], dnsNames = [], addresses = [] } = wanted;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const names = { subject: { commonName, organizations }, dnsNames, addresses };
  return Buffer.from(writeSigningRequest(names, privateKey)).toString('base64');
}
