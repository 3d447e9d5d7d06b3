/** A key on P-256, as certificates are made from. */
import { generateKeyPairSync } from 'node:crypto';

export function makeKeyPair(): { readonly publicKey: Buffer; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
