/** Writes the extensions of a certificate: usages, and alternative names and addresses. */
import { createHash } from 'node:crypto';
import { bitString, boolean, octetString, oid, sequence, tagged } from './der.ts';
import { writeAddress } from './ip-bytes.ts';

export type Use = 'server' | 'client';

const OIDS = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
} as const;

export const SUBJECT_ALT_NAME = '2.5.29.17';

const USES: Readonly<Record<Use, string>> = {
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
};

/** The tags of the kinds of alternative names. */
export const ALT_NAME = { email: 1, dns: 2, uri: 6, address: 7 } as const;

/** Encodes names and addresses as general names for a certificate. */
export function altNamesOf(
  names: readonly string[],
  addresses: readonly string[],
): readonly Uint8Array[] {
  return [
    ...names.map((name) => tagged(ALT_NAME.dns, 'primitive', Buffer.from(name))),
    ...addresses.map((address) => tagged(ALT_NAME.address, 'primitive', writeAddress(address))),
  ];
}

/** The extensions of an authority, whose key signs certificates and revocation lists. */
export function authorityExtensions(publicKey: Uint8Array): readonly Buffer[] {
  return [
    extension(OIDS.keyUsage, true, keyUsage(['digitalSignature', 'keyCertSign', 'cRLSign'])),
    extension(OIDS.basicConstraints, true, sequence(boolean(true))),
    extension(OIDS.subjectKeyIdentifier, false, octetString(keyIdentifier(publicKey))),
  ];
}

export function leafExtensions(
  uses: readonly Use[],
  authorityKey: Uint8Array,
  altNames: readonly Uint8Array[],
): readonly Buffer[] {
  const usage = uses.map((use) => oid(USES[use]));
  const authority = tagged(0, 'primitive', keyIdentifier(authorityKey));
  return [
    extension(OIDS.keyUsage, true, keyUsage(['digitalSignature', 'keyEncipherment'])),
    extension(OIDS.extKeyUsage, false, sequence(...usage)),
    extension(OIDS.basicConstraints, true, sequence()),
    extension(OIDS.authorityKeyIdentifier, false, sequence(authority)),
    ...(altNames.length > 0 ? [extension(SUBJECT_ALT_NAME, false, sequence(...altNames))] : []),
  ];
}

type KeyUse = 'digitalSignature' | 'keyEncipherment' | 'keyCertSign' | 'cRLSign';

/** The bit numbers of key usages. */
const KEY_USES: Readonly<Record<KeyUse, number>> = {
  digitalSignature: 0x80,
  keyEncipherment: 0x20,
  keyCertSign: 0x04,
  cRLSign: 0x02,
};

function keyUsage(uses: readonly KeyUse[]): Buffer {
  const bits = uses.reduce((sum, use) => sum + KEY_USES[use], 0);
  // Trailing zero bits are not written.
  const unused = bits === 0 ? 0 : 31 - Math.clz32(leastBit(bits));
  return bitString(Buffer.from([bits]), unused);
}

function leastBit(bits: number): number {
  let bit = 1;
  while (bits % (bit * 2) === 0) bit *= 2;
  return bit;
}

/** The key identifier: the first bits of the key's hash. */
function keyIdentifier(publicKey: Uint8Array): Buffer {
  return createHash('sha256').update(publicKey).digest().subarray(0, 20);
}

function extension(id: string, isCritical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}
