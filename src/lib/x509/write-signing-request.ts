/**
 * Writes certificate signing requests (PKCS #10): a name, a public key, and a signature that proves
 * possession of the key.
 */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  bitString,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  tagged,
  TAG,
  writeValue,
} from './der.ts';
import { writeSubject, type Subject } from './distinguished-name.ts';
import { altNamesOf, SUBJECT_ALT_NAME } from './extensions.ts';
import { writePem } from './pem.ts';

export interface WantedNames {
  readonly subject: Pick<Subject, 'commonName' | 'organizations'>;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const RSA_WITH_SHA256 = '1.2.840.113549.1.1.11';
const VERSION_1 = Buffer.from([0]);

/** Returns PEM. The key is an EC or RSA key. */
export function writeSigningRequest(wanted: WantedNames, privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const info = sequence(
    integer(VERSION_1),
    writeSubject(wanted.subject),
    publicKey,
    tagged(0, 'constructed', ...attributesOf(wanted)),
  );
  const signature = sign('sha256', info, privateKey);
  const request = sequence(info, algorithmOf(privateKey), bitString(signature));
  return writePem('CERTIFICATE REQUEST', request);
}

function attributesOf({ dnsNames, addresses }: WantedNames): readonly Buffer[] {
  if (dnsNames.length + addresses.length === 0) return [];
  const names = octetString(sequence(...altNamesOf(dnsNames, addresses)));
  const extensions = sequence(sequence(oid(SUBJECT_ALT_NAME), names));
  return [sequence(oid(EXTENSION_REQUEST), setOf(extensions))];
}

function algorithmOf({ asymmetricKeyType }: KeyObject): Buffer {
  if (asymmetricKeyType !== 'rsa') return sequence(oid(ECDSA_WITH_SHA256));
  return sequence(oid(RSA_WITH_SHA256), writeValue(TAG.null));
}
