/**
 * Creates the keys and certificates of a cluster: its CA, and the certificates that the CA signs.
 *
 *     ca ──signs──> server   the API server's serving certificate, for all its names
 *        ──signs──> admin    a client in system:masters
 *        ──signs──> kubelet client   the API server's client certificate for kubelets, valid for nothing else
 *        ──signs──> nodes, and approved certificate signing requests
 *     front-proxy-ca ──signs──> front-proxy-client   the API server's identity at aggregated API servers
 *     serviceAccountKey      signs tokens; no certificate
 *
 * Everything is PEM, in files and in kubeconfigs.
 */
import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../ports/clock.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { Validity } from '../../lib/x509/read-certificate.ts';
import { KUBELET_CLIENT_USER } from '../auth/kubelet-client.ts';
import { issueAuthority, issueLeaf, type Authority } from './certificate.ts';
import type { Subject } from '../../lib/x509/distinguished-name.ts';
import { altNamesOf, type Use } from '../../lib/x509/extensions.ts';

/** PEMs. */
export interface Pki {
  readonly caCert: string;
  readonly caKey: string;
  readonly serverCert: string;
  readonly serverKey: string;
  readonly adminCert: string;
  readonly adminKey: string;
  readonly kubeletClientCert: string;
  readonly kubeletClientKey: string;
  readonly serviceAccountKey: string;
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface PkiOptions {
  readonly clock: Clock;
  readonly random: IdentityRandom;
  /** Names of the server in addition to those that every server has. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** Certificates are backdated, because the clocks of clients may be slow. */
const BACKDATED_MS = 60 * 60 * 1000;

/** The API server has the first address of the Service range. */
const SERVER_ADDRESSES = ['127.0.0.1', '::1', '10.96.0.1'];
const SERVER_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

export const ADMIN = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

/**
 * The API server's user at kubelets. It has no groups, and only the role for the kubelet's API. A node
 * reports the address at which its kubelet is dialled, and may report the API server's own: there this
 * certificate must give access to nothing else.
 */
export const KUBELET_CLIENT = { commonName: KUBELET_CLIENT_USER, organizations: [] };

/**
 * The identity of the front proxy at aggregated API servers. Its authority is one of its own: a client of it
 * can name any user there, so the cluster's authority, which signs for clients, must not be trusted for it.
 */
export const FRONT_PROXY_AUTHORITY = 'front-proxy-ca';
export const FRONT_PROXY_CLIENT = { commonName: 'front-proxy-client', organizations: [] };

export async function createPki(options: PkiOptions): Promise<Pki> {
  const [ca, serviceAccount] = await Promise.all([createAuthority(options), makeKeys()]);
  const [server, client, kubeletClient] = await Promise.all([
    issueServerCertificate(ca, options),
    issueClientCertificate(ca, ADMIN, options),
    issueClientCertificate(ca, KUBELET_CLIENT, options),
  ]);
  return {
    caCert: ca.cert,
    caKey: ca.key,
    serverCert: server.cert,
    serverKey: server.key,
    adminCert: client.cert,
    adminKey: client.key,
    kubeletClientCert: kubeletClient.cert,
    kubeletClientKey: kubeletClient.key,
    serviceAccountKey: serviceAccount.privateKey,
  };
}

/** The API server's certificate, also for renewing it, with the names and addresses of the options. */
export async function issueServerCertificate(ca: Authority, options: PkiOptions): Promise<KeyPair> {
  const { names, addresses } = serverNames(options);
  const subject = { commonName: 'kube-apiserver', organizations: [] };
  return issueFor(
    ca,
    { subject, uses: ['server'], altNames: altNamesOf(names, addresses) },
    options,
  );
}

/** The common name is the user name, the organizations are its groups. */
export async function issueClientCertificate(
  ca: Authority,
  subject: Pick<Subject, 'commonName' | 'organizations'>,
  options: Pick<PkiOptions, 'clock' | 'random'>,
): Promise<KeyPair> {
  return issueFor(ca, { subject, uses: ['client'], altNames: [] }, options);
}

/** A kubelet is a client, and also serves under its own name and addresses. */
export async function issueNodeCertificate(
  ca: Authority,
  nodeName: string,
  options: PkiOptions,
): Promise<KeyPair> {
  const { names = [], addresses = [] } = options;
  const subject = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
  const altNames = altNamesOf([...new Set([nodeName, ...names])], addresses);
  return issueFor(ca, { subject, uses: ['client', 'server'], altNames }, options);
}

/** All names and addresses of the server certificate. */
export function serverNames({
  names = [],
  addresses = [],
}: Pick<PkiOptions, 'names' | 'addresses'>): {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
} {
  return {
    names: [...new Set([...SERVER_NAMES, ...names])],
    addresses: [...new Set([...SERVER_ADDRESSES, ...addresses])],
  };
}

export async function createAuthority(
  { clock, random }: Pick<PkiOptions, 'clock' | 'random'>,
  commonName = 'kubernetes',
): Promise<Authority> {
  const keys = await makeKeys();
  const validity = validityOf(clock, AUTHORITY_DAYS);
  return { cert: issueAuthority(commonName, keys, validity, random), key: keys.privateKey };
}

interface Wanted {
  readonly subject: Pick<Subject, 'commonName' | 'organizations'>;
  readonly uses: readonly Use[];
  readonly altNames: readonly Uint8Array[];
}

async function issueFor(
  ca: Authority,
  wanted: Wanted,
  { clock, random }: Pick<PkiOptions, 'clock' | 'random'>,
): Promise<KeyPair> {
  const { publicKey, privateKey } = await makeKeys();
  const request = { ...wanted, publicKey, ...validityOf(clock, LEAF_DAYS) };
  return { cert: issueLeaf(ca, request, random), key: privateKey };
}

function validityOf(clock: Clock, days: number): Validity {
  const nowMs = clock.now();
  return { notBeforeMs: nowMs - BACKDATED_MS, notAfterMs: nowMs + days * DAY_MS };
}

const generate = promisify(generateKeyPair);

async function makeKeys(): Promise<{ readonly publicKey: Buffer; readonly privateKey: string }> {
  const keys = await generate('ec', { namedCurve: 'prime256v1' });
  const publicKey: KeyObject = keys.publicKey;
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
