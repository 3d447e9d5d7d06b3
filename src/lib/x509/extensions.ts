/** Writes the extensions of a certificate: usages, and alternative names and addresses. */
import { createHash } from 'node:crypto';
import { bitString, boolean, octetString, oid, sequence, tagged } from './der.ts';
import { writeAddress } from './ip-bytes.ts';

/** What a certificate may be used for (extended key usages), in the order in which they are written. */
const USES = {
  any: '2.5.29.37.0',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  email: '1.3.6.1.5.5.7.3.4',
  ipsecEndSystem: '1.3.6.1.5.5.7.3.5',
  ipsecTunnel: '1.3.6.1.5.5.7.3.6',
  ipsecUser: '1.3.6.1.5.5.7.3.7',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  microsoftGatedCrypto: '1.3.6.1.4.1.311.10.3.3',
  netscapeGatedCrypto: '2.16.840.1.113730.4.1',
} as const;

/** What a key may be used for: bits, the first one is the highest. */
const KEY_USES = {
  digitalSignature: 0x80_00,
  contentCommitment: 0x40_00,
  keyEncipherment: 0x20_00,
  dataEncipherment: 0x10_00,
  keyAgreement: 0x08_00,
  keyCertSign: 0x04_00,
  cRLSign: 0x02_00,
  encipherOnly: 0x01_00,
  decipherOnly: 0x00_80,
} as const;

export type Use = keyof typeof USES;
export type KeyUse = keyof typeof KEY_USES;

const TLS_KEY_USES: readonly KeyUse[] = ['digitalSignature', 'keyEncipherment'];

const OIDS = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
} as const;

export const SUBJECT_ALT_NAME = '2.5.29.17';

/** The kinds of names in an alternative name. */
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

export interface LeafUses {
  readonly uses: readonly Use[];
  /** Absent: what TLS needs, signatures and with RSA keys encipherment. */
  readonly keyUses?: readonly KeyUse[];
}

/** Without any use of a sort its extension is left out. */
export function leafExtensions(
  { uses, keyUses = TLS_KEY_USES }: LeafUses,
  authorityKey: Uint8Array,
  altNames: readonly Uint8Array[],
): readonly Buffer[] {
  const usage = Object.entries(USES).filter(([name]) => uses.some((use) => use === name));
  const extended = sequence(...usage.map(([, id]) => oid(id)));
  const authority = tagged(0, 'primitive', keyIdentifier(authorityKey));
  return [
    ...(keyUses.length > 0 ? [extension(OIDS.keyUsage, true, keyUsage(keyUses))] : []),
    ...(usage.length > 0 ? [extension(OIDS.extKeyUsage, false, extended)] : []),
    extension(OIDS.basicConstraints, true, sequence()),
    extension(OIDS.authorityKeyIdentifier, false, sequence(authority)),
    ...(altNames.length > 0 ? [extension(SUBJECT_ALT_NAME, false, sequence(...altNames))] : []),
  ];
}

/** Trailing zero bits are not written, nor a second byte without bits. */
function keyUsage(uses: readonly KeyUse[]): Buffer {
  const bits = [...new Set(uses)].reduce((sum, use) => sum + KEY_USES[use], 0);
  const [high, low] = [Math.floor(bits / 256), bits % 256];
  const bytes = low === 0 ? [high] : [high, low];
  return bitString(Buffer.from(bytes), trailingZeros(low === 0 ? high : low));
}

function trailingZeros(byte: number): number {
  return byte === 0 ? 0 : 31 - Math.clz32(leastBit(byte));
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
