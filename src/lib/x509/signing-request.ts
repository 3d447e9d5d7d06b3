/**
 * Reads and verifies a certificate signing request (PKCS #10). The signature on the request proves that the
 * client has the private key; an approver decides whether the client may have the name.
 */
import { createPublicKey, verify } from 'node:crypto';
import { defineError } from '../errors.ts';
import { contextTag } from './der.ts';
import { childAt, childrenOf, readDer, readOid, type DerValue } from './der-reader.ts';
import { readSubject, type Subject } from './distinguished-name.ts';
import { ALT_NAME, SUBJECT_ALT_NAME } from './extensions.ts';
import { readAddress } from './ip-bytes.ts';
import { readPem } from './pem.ts';

export interface SigningRequest {
  readonly subject: Subject;
  /** In DER (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** General names in DER, as they will be in the certificate. */
  readonly altNames: readonly Uint8Array[];
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
}

const LABEL = 'CERTIFICATE REQUEST';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** The hash of a signature algorithm, by its object identifier. Null: it has none. */
const HASHES: ReadonlyMap<string, string | null> = new Map([
  // A request may be signed with SHA-1: its signature proves only that the client has the key.
  ['1.2.840.10045.4.1', 'sha1'],
  ['1.2.840.113549.1.1.5', 'sha1'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.3.101.112', null],
]);

const requestForged = defineError<{ reason: string }>({
  code: 'SIGNING_REQUEST_FORGED',
  retry: 'never',
  message: ({ reason }) => `the certificate request is not signed by its own key: ${reason}`,
  hint: () => 'Make the request again with the private key that belongs to it.',
});

/** `encoded`: PEM in base64, as CertificateSigningRequests hold it. Throws a PodkeepError. */
export function readSigningRequest(encoded: string): SigningRequest {
  const whole = readDer(readPem(LABEL, Buffer.from(encoded, 'base64').toString()));
  const info = childAt(whole, 0);
  const publicKey = childAt(info, 2).raw;
  checkSignature(whole, info, publicKey);
  const names = altNamesOf(info);
  const textsOf = (kind: number): readonly string[] =>
    names
      .filter(({ tag }) => tag === contextTag(kind, 'primitive'))
      .map(({ content }) =>
        kind === ALT_NAME.address ? readAddress(content) : Buffer.from(content).toString(),
      );
  return {
    subject: readSubject(childAt(info, 1)),
    publicKey,
    altNames: names.map(({ raw }) => raw),
    dnsNames: textsOf(ALT_NAME.dns),
    addresses: textsOf(ALT_NAME.address),
    emails: textsOf(ALT_NAME.email),
    uris: textsOf(ALT_NAME.uri),
  };
}

function checkSignature(whole: DerValue, info: DerValue, publicKey: Uint8Array): void {
  const algorithm = readOid(childAt(childAt(whole, 1), 0));
  const hash = HASHES.get(algorithm);
  if (hash === undefined) throw requestForged({ reason: `unknown algorithm ${algorithm}` });
  // The first byte of a bit string is the number of unused bits at its end: none.
  const signature = childAt(whole, 2).content.subarray(1);
  if (!isSigned(hash, info.raw, publicKey, signature)) {
    throw requestForged({ reason: 'the signature does not fit' });
  }
}

function isSigned(
  hash: string | null,
  signed: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
    return verify(hash, signed, key, signature);
  } catch (error) {
    throw requestForged({ reason: 'the key cannot be read' }, error);
  }
}

function altNamesOf(info: DerValue): readonly DerValue[] {
  const attributes = childrenOf(info)
    .filter(({ tag }) => tag === contextTag(0, 'constructed'))
    .flatMap(childrenOf);
  const extensions = attributes
    .filter((attribute) => readOid(childAt(attribute, 0)) === EXTENSION_REQUEST)
    .flatMap((attribute) => childrenOf(childAt(childAt(attribute, 1), 0)));
  return extensions
    .filter((extension) => readOid(childAt(extension, 0)) === SUBJECT_ALT_NAME)
    .flatMap((extension) => {
      const value = childrenOf(extension).at(-1);
      return value ? childrenOf(readDer(value.content)) : [];
    });
}
