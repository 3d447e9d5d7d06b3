/** Converts the usages of a CertificateSigningRequest to extensions of the certificate. */
import type { KeyUse, LeafUses, Use } from '../../lib/x509/extensions.ts';

const KEY_USES: ReadonlyMap<string, KeyUse> = new Map([
  ['signing', 'digitalSignature'],
  ['digital signature', 'digitalSignature'],
  ['content commitment', 'contentCommitment'],
  ['key encipherment', 'keyEncipherment'],
  ['key agreement', 'keyAgreement'],
  ['data encipherment', 'dataEncipherment'],
  ['cert sign', 'keyCertSign'],
  ['crl sign', 'cRLSign'],
  ['encipher only', 'encipherOnly'],
  ['decipher only', 'decipherOnly'],
]);

const USES: ReadonlyMap<string, Use> = new Map([
  ['any', 'any'],
  ['server auth', 'server'],
  ['client auth', 'client'],
  ['code signing', 'codeSigning'],
  ['email protection', 'email'],
  ['s/mime', 'email'],
  ['ipsec end system', 'ipsecEndSystem'],
  ['ipsec tunnel', 'ipsecTunnel'],
  ['ipsec user', 'ipsecUser'],
  ['timestamping', 'timeStamping'],
  ['ocsp signing', 'ocspSigning'],
  ['microsoft sgc', 'microsoftGatedCrypto'],
  ['netscape sgc', 'netscapeGatedCrypto'],
]);

/** Only what is requested; validation has refused unknown usages. */
export function usesOfUsages(usages: readonly string[]): Required<LeafUses> {
  return {
    uses: usages.flatMap((usage) => USES.get(usage) ?? []),
    keyUses: usages.flatMap((usage) => KEY_USES.get(usage) ?? []),
  };
}
