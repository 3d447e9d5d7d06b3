/** Reads subject, validity, usages and names of an X.509 certificate. */
import { contextTag } from './der.ts';
import { childAt, childrenOf, readDer, readDerTime, readOid, type DerValue } from './der-reader.ts';
import { readSubject, type Subject } from './distinguished-name.ts';
import { ALT_NAME, SUBJECT_ALT_NAME } from './extensions.ts';
import { readAddress } from './ip-bytes.ts';

export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface CertificateFacts extends Validity {
  readonly subject: Subject;
  readonly publicKey: Uint8Array;
  /** The issuer's name and the subject, in DER. */
  readonly issuerName: Uint8Array;
  readonly ownName: Uint8Array;
}

/** The tag of the version, which certificates of version 1 do not have. */
const VERSION_TAG = 0xa0;

/** Throws DER_BROKEN if the bytes are not a certificate. */
export function readCertificate(der: Uint8Array): CertificateFacts {
  const signed = childAt(readDer(der), 0);
  const hasVersion = childrenOf(signed)[0]?.tag === VERSION_TAG;
  const at = (index: number) => childAt(signed, hasVersion ? index + 1 : index);
  const [issuer, validity, name, publicKey] = [at(2), at(3), at(4), at(5)];
  return {
    subject: readSubject(name),
    publicKey: publicKey.raw,
    issuerName: issuer.raw,
    ownName: name.raw,
    notBeforeMs: readDerTime(childAt(validity, 0)),
    notAfterMs: readDerTime(childAt(validity, 1)),
  };
}

/** Its subject alternative names. Throws DER_BROKEN. */
export function readCertificateNames(der: Uint8Array): {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
} {
  const signed = childAt(readDer(der), 0);
  const names = childrenOf(signed)
    .filter(({ tag }) => tag === contextTag(3, 'constructed'))
    .flatMap((tagged) => childrenOf(childAt(tagged, 0)))
    .filter((extension) => readOid(childAt(extension, 0)) === SUBJECT_ALT_NAME)
    .flatMap((extension) => {
      const value = childrenOf(extension).at(-1);
      return value ? childrenOf(readDer(value.content)) : [];
    });
  return {
    dnsNames: ofKind(names, ALT_NAME.dns).map((content) => Buffer.from(content).toString()),
    addresses: ofKind(names, ALT_NAME.address).map(readAddress),
  };
}

function ofKind(names: readonly DerValue[], kind: number): readonly Uint8Array[] {
  return names
    .filter(({ tag }) => tag === contextTag(kind, 'primitive'))
    .map(({ content }) => content);
}
