/**
 * Issues X.509 certificates with P-256 keys.
 *
 * It uses Node's own cryptography and a few lines of DER, because loading a library takes longer than the
 * whole server may take to start.
 */
import { createPrivateKey, sign } from 'node:crypto';
import type { IdentityRandom } from '../../ports/random.ts';
import { bitString, integer, oid, sequence, tagged, time } from '../../lib/x509/der.ts';
import { writeSubject, type Subject } from '../../lib/x509/distinguished-name.ts';
import { authorityExtensions, leafExtensions, type LeafUses } from '../../lib/x509/extensions.ts';
import { readPem, writePem } from '../../lib/x509/pem.ts';
import { readCertificate, type Validity } from '../../lib/x509/read-certificate.ts';

/** The CA's certificate and key, as PEM. */
export interface Authority {
  readonly cert: string;
  readonly key: string;
}

export interface LeafRequest extends Validity, LeafUses {
  readonly subject: Pick<Subject, 'commonName' | 'organizations'>;
  /** As DER (SubjectPublicKeyInfo). */
  readonly publicKey: Uint8Array;
  /** General names in DER. */
  readonly altNames: readonly Uint8Array[];
}

const CERTIFICATE = 'CERTIFICATE';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const SERIAL_BYTES = 16;
const VERSION_3 = Buffer.from([2]);

/** A self-signed certificate that can sign others. */
export function issueAuthority(
  commonName: string,
  keys: { readonly publicKey: Uint8Array; readonly privateKey: string },
  validity: Validity,
  random: IdentityRandom,
): string {
  const name = writeSubject({ commonName, organizations: [] });
  const { publicKey, privateKey } = keys;
  const extensions = authorityExtensions(publicKey);
  return issue({ name, issuer: name, publicKey, extensions, validity, random }, privateKey);
}

export function issueLeaf(
  authority: Authority,
  request: LeafRequest,
  random: IdentityRandom,
): string {
  const { ownName, publicKey: authorityKey } = readCertificate(
    readPem(CERTIFICATE, authority.cert),
  );
  const { subject, publicKey, altNames } = request;
  const extensions = leafExtensions(request, authorityKey, altNames);
  const name = writeSubject(subject);
  const facts = { name, issuer: ownName, publicKey, extensions, validity: request, random };
  return issue(facts, authority.key);
}

interface Issued {
  readonly name: Uint8Array;
  readonly issuer: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Uint8Array[];
  readonly validity: Validity;
  readonly random: IdentityRandom;
}

function issue(facts: Issued, signingKey: string): string {
  const { name, issuer, publicKey, extensions, validity, random } = facts;
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const signed = sequence(
    tagged(0, 'constructed', integer(VERSION_3)),
    integer(makeSerial(random)),
    algorithm,
    issuer,
    sequence(time(validity.notBeforeMs), time(validity.notAfterMs)),
    name,
    publicKey,
    tagged(3, 'constructed', sequence(...extensions)),
  );
  const signature = sign('sha256', signed, createPrivateKey(signingKey));
  return writePem(CERTIFICATE, sequence(signed, algorithm, bitString(signature)));
}

/** Positive and random: duplicates need only be unlikely. */
function makeSerial(random: IdentityRandom): Uint8Array {
  return Buffer.from([1, ...random.bytes(SERIAL_BYTES - 1)]);
}
