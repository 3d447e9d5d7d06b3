/**
 * A real kube-apiserver with an etcd behind it and the controllers that kubectl's commands need: the
 * reference for the embedded server.
 */
import path from 'node:path';
import { Api } from './api.ts';
import type { RunningApiServer } from './api-server.ts';
import { CertificateAuthority, type KeyPair, type SigningKey } from './certificates.ts';
import { startControllerManager } from './controller-manager.ts';
import { Daemon } from './daemon.ts';
import { startEtcd } from './etcd.ts';
import { findFreePort } from './free-port.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { findProgram } from './programs.ts';
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts';

const READY_MS = 90_000;

export interface RealApiServerOptions {
  readonly name?: string;
  /**
   * The controllers beside it, as kube-controller-manager names them. By default those that every API
   * server needs.
   */
  readonly controllers?: readonly string[];
  /** Flags of kube-apiserver beyond those that every test needs. */
  readonly flags?: readonly string[];
}

/**
 * Deletes namespaces and owned objects; creates service accounts and their CA; aggregates roles; counts
 * quotas; watches node leases, and evicts pods. The embedded server has the same built in.
 */
const ESSENTIAL_CONTROLLERS: readonly string[] = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'resourcequota-controller',
  'node-lifecycle-controller',
  'taint-eviction-controller',
];

export interface ApiServerFiles {
  readonly etcd: string;
  readonly port: number;
  readonly folder: string;
  readonly serving: KeyPair;
  /** The certificate of the authority that signs client certificates. */
  readonly ca: string;
  readonly signing: SigningKey;
}

export class RealApiServer implements RunningApiServer {
  readonly name: string;
  readonly folder: string;
  readonly kubeconfig: string;
  #address = '';
  readonly #daemons: Daemon[] = [];

  private constructor(name: string) {
    this.name = name;
    this.folder = makeWorkFolder(name);
    this.kubeconfig = path.join(this.folder, 'kubeconfig');
  }

  static async start(options: RealApiServerOptions = {}): Promise<RealApiServer> {
    const { name = 'kube-apiserver', controllers = ESSENTIAL_CONTROLLERS, flags = [] } = options;
    const server = new RealApiServer(name);
    try {
      await server.#start(controllers, flags);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get address(): string {
    return this.#address;
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) await daemon.stop();
    removeWorkFolder(this.folder);
  }

  async #start(controllers: readonly string[], flags: readonly string[]): Promise<void> {
    const { folder, kubeconfig } = this;
    const etcd = await startEtcd(folder);
    this.#daemons.push(etcd.daemon);
    const port = await findFreePort();
    this.#address = `https://127.0.0.1:${port}`;
    const authority = new CertificateAuthority(folder);
    const serving = authority.issue('serving', {
      commonName: 'kube-apiserver',
      addresses: ['IP:127.0.0.1', 'DNS:localhost'],
    });
    const admin = authority.issue('admin', {
      commonName: 'kubernetes-admin',
      organization: 'system:masters',
    });
    const signing = authority.makeSigningKey();
    const ca = authority.pair.certificate;
    writeKubeconfig(kubeconfig, this.#address, ca, admin);
    const daemon = new Daemon({
      name: 'kube-apiserver',
      command: findProgram('kube-apiserver'),
      folder,
      args: [
        ...apiServerArgs({ etcd: etcd.address, port, folder, serving, ca, signing }),
        ...flags,
      ],
    });
    this.#daemons.push(daemon);
    await waitUntilReady(daemon, kubeconfig);
    if (controllers.length === 0) return;
    const manager = await startControllerManager({
      kubeconfig,
      folder,
      controllers,
      signingKey: signing.privateKey,
      rootCa: ca,
    });
    this.#daemons.push(manager);
  }
}

/** The flags of every kube-apiserver here. */
export function apiServerArgs(place: ApiServerFiles): readonly string[] {
  const { etcd, port, folder, serving, ca, signing } = place;
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    // It must not announce a loopback address, and there is no other member to read it.
    '--endpoint-reconciler-type=none',
    `--tls-cert-file=${serving.certificate}`,
    `--tls-private-key-file=${serving.key}`,
    `--client-ca-file=${ca}`,
    `--cert-dir=${folder}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${signing.publicKey}`,
    `--service-account-signing-key-file=${signing.privateKey}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
  ];
}

export async function waitUntilReady(daemon: Daemon, kubeconfig: string): Promise<void> {
  const api = new Api(kubeconfig);
  try {
    await daemon.waitUntilReady(READY_MS, async () => (await api.get('/readyz')).code === 200);
  } finally {
    api.close();
  }
}
