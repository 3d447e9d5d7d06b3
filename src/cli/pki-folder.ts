/**
 * Reads and creates the keys and certificates of the API server in the data folder.
 *
 * The folder is created with all its files, or not at all. The CA and the key for tokens are never replaced,
 * because clients trust them. The certificates that the CA signs (the API server's serving certificate, its
 * client certificate for kubelets, and the administrator's) are issued again when they are missing, damaged,
 * about to expire, or were issued for other names.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  ADMIN,
  createPki,
  issueClientCertificate,
  issueServerCertificate,
  KUBELET_CLIENT,
  serverNames,
  type KeyPair,
  type Pki,
  type PkiOptions,
} from '../apiserver/pki/pki.ts';
import { defineError } from '../lib/errors.ts';
import { isUntrusted, readTrustedFile } from '../lib/trusted-file.ts';
import { createFolderAtomically, writeFileAtomically } from './atomic-file.ts';

/** File names as in kubeadm, where it has the file. */
const FILES: ReadonlyMap<keyof Pki, string> = new Map([
  ['caCert', 'ca.crt'],
  ['caKey', 'ca.key'],
  ['serverCert', 'apiserver.crt'],
  ['serverKey', 'apiserver.key'],
  ['adminCert', 'admin.crt'],
  ['adminKey', 'admin.key'],
  ['kubeletClientCert', 'apiserver-kubelet-client.crt'],
  ['kubeletClientKey', 'apiserver-kubelet-client.key'],
  ['serviceAccountKey', 'sa.key'],
]);

const OTHERS = 0o077;
const OWNER_ONLY_FILE = 0o600;
const RENEWAL_MS = 30 * 24 * 60 * 60 * 1000;

const pkiDamaged = defineError<{ file: string; reason: string; folder: string }>({
  code: 'PKI_DAMAGED',
  retry: 'never',
  message: ({ file, reason }) => `${file} cannot be used: ${reason}`,
  hint: ({ folder }) =>
    `Put a copy of the file back, or move ${folder} away to begin with new certificates: ` +
    'kubeconfigs and tokens that were handed out before will then be refused.',
});

/** Throws PKI_DAMAGED or UNTRUSTED_FILE. */
export async function openPkiFolder(folder: string, options: PkiOptions): Promise<Pki> {
  if (existsSync(folder)) return new PkiFolder(folder, options).open();
  const pki = await createPki(options);
  const files = [...FILES].map(([part, name]) => [name, pki[part]] as const);
  await createFolderAtomically(folder, files);
  return pki;
}

class PkiFolder {
  readonly #folder: string;
  readonly #options: PkiOptions;

  constructor(folder: string, options: PkiOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async open(): Promise<Pki> {
    const ca = this.#readAuthority();
    const serviceAccountKey = this.#read('serviceAccountKey');
    this.#check('serviceAccountKey', () => createPrivateKey(serviceAccountKey));
    const [server, admin, kubeletClient] = await Promise.all([
      this.#renew(ca, ['serverCert', 'serverKey'], serves(this.#options), () =>
        issueServerCertificate(ca, this.#options),
      ),
      this.#renew(
        ca,
        ['adminCert', 'adminKey'],
        () => true,
        () => issueClientCertificate(ca, ADMIN, this.#options),
      ),
      this.#renew(
        ca,
        ['kubeletClientCert', 'kubeletClientKey'],
        () => true,
        () => issueClientCertificate(ca, KUBELET_CLIENT, this.#options),
      ),
    ]);
    return {
      caCert: ca.cert,
      caKey: ca.key,
      serverCert: server.cert,
      serverKey: server.key,
      adminCert: admin.cert,
      adminKey: admin.key,
      kubeletClientCert: kubeletClient.cert,
      kubeletClientKey: kubeletClient.key,
      serviceAccountKey,
    };
  }

  #readAuthority(): KeyPair {
    const pair = { cert: this.#read('caCert'), key: this.#read('caKey') };
    const cert = this.#check('caCert', () => new X509Certificate(pair.cert));
    const key = this.#check('caKey', () => createPrivateKey(pair.key));
    if (!cert.checkPrivateKey(key)) this.#fail('caKey', 'it does not belong to ca.crt');
    if (expiryOf(cert) <= this.#options.clock.now()) {
      this.#fail('caCert', `it was valid until ${cert.validTo}`);
    }
    return pair;
  }

  async #renew(
    ca: KeyPair,
    [certPart, keyPart]: readonly [keyof Pki, keyof Pki],
    fits: (cert: X509Certificate) => boolean,
    issue: () => Promise<KeyPair>,
  ): Promise<KeyPair> {
    const found = this.#readPair(certPart, keyPart);
    if (found && this.#isGood(ca, found) && fits(found.cert)) return found.pair;
    const pair = await issue();
    // After a power loss between the two writes they do not match, and the next start issues both again.
    writeFileAtomically(this.#fileOf(keyPart), pair.key);
    writeFileAtomically(this.#fileOf(certPart), pair.cert);
    return pair;
  }

  #isGood(ca: KeyPair, { cert, key }: FoundPair): boolean {
    const authority = new X509Certificate(ca.cert);
    return (
      cert.checkPrivateKey(key) &&
      cert.verify(authority.publicKey) &&
      expiryOf(cert) - RENEWAL_MS > this.#options.clock.now()
    );
  }

  /** Null: the pair is missing or damaged, and is issued again. */
  #readPair(certPart: keyof Pki, keyPart: keyof Pki): FoundPair | null {
    try {
      const pair = { cert: this.#read(certPart), key: this.#read(keyPart) };
      return { pair, cert: new X509Certificate(pair.cert), key: createPrivateKey(pair.key) };
    } catch (error) {
      if (isUntrusted(error)) throw error;
      return null;
    }
  }

  #read(part: keyof Pki): string {
    return this.#check(part, () => {
      const file = this.#fileOf(part);
      const text = readTrustedFile(file);
      // A copy from a backup may have lost its mode.
      if ((statSync(file).mode & OTHERS) !== 0) chmodSync(file, OWNER_ONLY_FILE);
      return text;
    });
  }

  #check<Result>(part: keyof Pki, act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      if (isUntrusted(error)) throw error;
      return this.#fail(part, error instanceof Error ? error.message : String(error), error);
    }
  }

  #fail(part: keyof Pki, reason: string, cause?: unknown): never {
    throw pkiDamaged({ file: this.#fileOf(part), reason, folder: this.#folder }, cause);
  }

  #fileOf(part: keyof Pki): string {
    return path.join(this.#folder, FILES.get(part) ?? part);
  }
}

interface FoundPair {
  readonly pair: KeyPair;
  readonly cert: X509Certificate;
  readonly key: KeyObject;
}

function serves(options: PkiOptions): (cert: X509Certificate) => boolean {
  const { names, addresses } = serverNames(options);
  return (cert) =>
    names.every((name) => cert.checkHost(name) !== undefined) &&
    addresses.every((address) => cert.checkIP(address) !== undefined);
}

function expiryOf(cert: X509Certificate): number {
  return Date.parse(cert.validTo);
}
