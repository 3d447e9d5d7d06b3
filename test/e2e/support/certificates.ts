/** The keys and certificates of one cluster, made with openssl. They live as long as its folder. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { programMissing } from '../../../scripts/cluster/errors.ts';

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface SigningKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

export interface Subject {
  /** The user's name, as Kubernetes reads a client's certificate. */
  readonly commonName: string;
  /** The user's group. */
  readonly organization?: string;
  /** For a server: the addresses it answers at, such as `IP:127.0.0.1`. */
  readonly addresses?: readonly string[];
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const DAYS = ['-days', '2'];

export class CertificateAuthority {
  readonly #folder: string;
  readonly pair: KeyPair;

  constructor(folder: string) {
    this.#folder = folder;
    this.pair = this.#files('ca');
    const { key, certificate } = this.pair;
    const subject = ['-subj', '/CN=podkeep-e2e'];
    openssl(['req', '-x509', ...CURVE, ...DAYS, ...subject, '-keyout', key, '-out', certificate]);
  }

  issue(name: string, { commonName, organization, addresses = [] }: Subject): KeyPair {
    const pair = this.#files(name);
    const request = path.join(this.#folder, `${name}.csr`);
    const extensions = path.join(this.#folder, `${name}.ext`);
    const subject = `${organization ? `/O=${organization}` : ''}/CN=${commonName}`;
    openssl(['req', ...CURVE, '-subj', subject, '-keyout', pair.key, '-out', request]);
    writeFileSync(extensions, extensionsFor(addresses));
    const authority = ['-CA', this.pair.certificate, '-CAkey', this.pair.key, '-CAcreateserial'];
    const files = ['-in', request, '-extfile', extensions, '-out', pair.certificate];
    openssl(['x509', '-req', ...DAYS, ...authority, ...files]);
    return pair;
  }

  /** The pair of keys that service accounts' tokens are signed and checked with. */
  makeSigningKey(): SigningKey {
    const privateKey = path.join(this.#folder, 'service-account.key');
    const publicKey = path.join(this.#folder, 'service-account.pub');
    openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', privateKey]);
    openssl(['ec', '-in', privateKey, '-pubout', '-out', publicKey]);
    return { privateKey, publicKey };
  }

  #files(name: string): KeyPair {
    return {
      certificate: path.join(this.#folder, `${name}.crt`),
      key: path.join(this.#folder, `${name}.key`),
    };
  }
}

function extensionsFor(addresses: readonly string[]): string {
  const lines = ['extendedKeyUsage=clientAuth,serverAuth'];
  if (addresses.length > 0) lines.push(`subjectAltName=${addresses.join(',')}`);
  return `${lines.join('\n')}\n`;
}

function openssl(args: readonly string[]): void {
  try {
    execFileSync('openssl', args, { stdio: 'pipe' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw programMissing({ program: 'openssl', use: 'to make certificates' }, error);
  }
}
