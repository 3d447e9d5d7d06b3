/**
 * Obtains the first client certificate of a node with its bootstrap credentials (TLS bootstrap).
 *
 *     key ──> request, named by the key and its content ──> certificate ──> store
 *
 * The key is on disk before it is used, and the name of the request follows from the key. So a node that
 * crashes and starts again uses the same key and the same name, and finds its earlier request: there is only
 * one request to approve, however often the node starts.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  clientTemplate,
  type CertificateTemplate,
} from '../../core/certificates/certificate-template.ts';
import { retryMs } from '../../core/certificates/rotation.ts';
import { usagesOf, type Signer } from '../../core/certificates/signing-request.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../waiting/pause.ts';
import {
  CERTIFICATE_REQUEST_TAKEN,
  certificateFolderUnusable,
  joinRefused,
  reasonOf,
} from './certificate-errors.ts';
import { keyIn, makeKey, readPair, type CertificatePair } from './certificate-pair.ts';
import { requestCertificate, type RequestPorts } from './certificate-request.ts';
import { readIfThere, writeDurably, type CertificateStore } from './certificate-store.ts';

export interface FirstCertificateOptions extends RequestPorts {
  readonly random: Random;
  readonly nodeName: string;
  readonly store: CertificateStore;
  /** The folder of the store. */
  readonly folder: string;
}

const SIGNER: Signer = 'kubernetes.io/kube-apiserver-client-kubelet';
const KEY_FILE = 'kubelet-client.key.tmp';
const WAIT_MS = 3_600_000;
const OWNER_ONLY = 0o700;
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** Retries until it has a certificate. Throws JOIN_REFUSED, CERTIFICATE_REFUSED, CERTIFICATE_FOLDER_UNUSABLE. */
export async function obtainFirstCertificate(
  options: FirstCertificateOptions,
  signal: AbortSignal,
): Promise<CertificatePair> {
  const { clock, log, random, nodeName, store } = options;
  const template = clientTemplate(nodeName);
  for (let failures = 1; ; failures += 1) {
    const key = await keepKey(options);
    const name = nameOf(key, template);
    const order = { template, key, name, signer: SIGNER, waitMs: WAIT_MS };
    try {
      const cert = await requestCertificate(options, order, signal);
      const pair = readPair(cert, key, `request ${name}`);
      await store.update(pair);
      await rm(keyFileOf(options), { force: true });
      return pair;
    } catch (error) {
      await retryOrThrow(error, options);
      signal.throwIfAborted();
      const delayMs = Math.round(retryMs(failures, random.next()));
      log.warn('No client certificate issued yet; retrying', { delayMs, error });
      await pause(clock, delayMs, signal);
    }
  }
}

/** Throws errors that a retry would not change. */
async function retryOrThrow(error: unknown, options: FirstCertificateOptions): Promise<void> {
  if (!(error instanceof PodkeepError)) throw error;
  if (error instanceof ApiError && REFUSALS.has(error.statusCode)) {
    throw joinRefused({ reason: error.message }, error);
  }
  if (error.code === CERTIFICATE_REQUEST_TAKEN) {
    // The request with this name cannot provide a certificate for this key, so the next try uses a new key.
    await writeKey(options, makeKey());
    return;
  }
  if (error.retry === 'never') throw error;
}

/** The key of an earlier start, or of an expired certificate; else a new one. */
async function keepKey(options: FirstCertificateOptions): Promise<string> {
  const { store, log, folder } = options;
  try {
    const kept = await readIfThere(keyFileOf(options));
    if (kept !== null) return checked(kept);
    const pair = await store.current();
    if (pair) return pair.key;
  } catch (error) {
    log.warn('Stored private key cannot be used; generating a new one', { folder, error });
  }
  return writeKey(options, makeKey());
}

async function writeKey(options: FirstCertificateOptions, key: string): Promise<string> {
  const { folder } = options;
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
    await writeDurably(keyFileOf(options), key);
  } catch (error) {
    throw certificateFolderUnusable({ folder, reason: reasonOf(error) }, error);
  }
  return key;
}

function checked(text: string): string {
  const key = keyIn(text);
  createPrivateKey(key);
  return key;
}

function keyFileOf({ folder }: FirstCertificateOptions): string {
  return path.join(folder, KEY_FILE);
}

/** The kubelet's name: a digest of the key, the subject and the usages. */
function nameOf(key: string, { commonName, organizations }: CertificateTemplate): string {
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const hash = createHash('sha512-256');
  // Here the kubelet puts the usage `key encipherment` last; in the request it is in the middle.
  const usages = usagesOf(SIGNER, false);
  const texts = [commonName, ...organizations, ...usages, ...(isRsa ? ['key encipherment'] : [])];
  for (const part of [publicKey, ...texts.map((text) => Buffer.from(text))]) {
    hash.update(`${part.toString('base64url')}|`);
  }
  return `node-csr-${hash.digest('base64url')}`;
}
