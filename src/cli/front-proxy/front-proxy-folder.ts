/**
 * Keeps the certificates of the front proxy, its CA's and its own, in files beside the other keys
 * (pki-folder.ts).
 *
 * Both can be replaced: aggregated API servers read the CA from the cluster, where the next start publishes
 * it. So both are created again when they are missing, damaged or about to expire.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import path from 'node:path';
import {
  createAuthority,
  FRONT_PROXY_AUTHORITY,
  FRONT_PROXY_CLIENT,
  issueClientCertificate,
  type KeyPair,
  type PkiOptions,
} from '../../apiserver/pki/pki.ts';
import { isUntrusted, readTrustedFile } from '../../lib/trusted-file.ts';
import { writeFileAtomically } from '../atomic-file.ts';

/** PEMs. */
export interface FrontProxyPki extends KeyPair {
  readonly caCert: string;
}

type Options = Pick<PkiOptions, 'clock' | 'random'>;

const RENEWAL_MS = 30 * 24 * 60 * 60 * 1000;

/** The folder exists. Throws UNTRUSTED_FILE. */
export async function openFrontProxyFolder(
  folder: string,
  options: Options,
): Promise<FrontProxyPki> {
  const ca = await keep(folder, 'front-proxy-ca', options, {
    fits: () => true,
    issue: () => createAuthority(options, FRONT_PROXY_AUTHORITY),
  });
  const authority = new X509Certificate(ca.cert).publicKey;
  const client = await keep(folder, 'front-proxy-client', options, {
    fits: (cert) => cert.verify(authority),
    issue: () => issueClientCertificate(ca, FRONT_PROXY_CLIENT, options),
  });
  return { caCert: ca.cert, ...client };
}

interface Wanted {
  readonly fits: (cert: X509Certificate) => boolean;
  readonly issue: () => Promise<KeyPair>;
}

async function keep(
  folder: string,
  name: string,
  { clock }: Options,
  { fits, issue }: Wanted,
): Promise<KeyPair> {
  const file = path.join(folder, name);
  const found = readPair(file, clock.now(), fits);
  if (found) return found;
  const { cert, key } = await issue();
  // After a power loss between the two they do not match, and the next start makes both again.
  writeFileAtomically(`${file}.key`, key);
  writeFileAtomically(`${file}.crt`, cert);
  return { cert, key };
}

/** Null: something is wrong with it, no matter what. */
function readPair(file: string, nowMs: number, fits: Wanted['fits']): KeyPair | null {
  try {
    const pair = { cert: readTrustedFile(`${file}.crt`), key: readTrustedFile(`${file}.key`) };
    const cert = new X509Certificate(pair.cert);
    const isGood = cert.checkPrivateKey(createPrivateKey(pair.key)) && fits(cert);
    return isGood && Date.parse(cert.validTo) - RENEWAL_MS > nowMs ? pair : null;
  } catch (error) {
    if (isUntrusted(error)) throw error;
    return null;
  }
}
