/**
 * Kubernetes' own control plane, as people run it: etcd, an API server with Node authorization, RBAC,
 * NodeRestriction, service accounts and bootstrap tokens, all controllers, and a scheduler. Each has its
 * own identity, with a certificate of the cluster's authority.
 *
 * The API server logs the requests of nodes: see audit-log.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CertificateAuthority, type Subject } from '../../e2e/support/certificates.ts';
import { startControllerManager, startScheduler } from '../../e2e/support/controller-manager.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { startEtcd, type EtcdFiles } from '../../e2e/support/etcd.ts';
import { findFreePort } from '../../e2e/support/free-port.ts';
import { writeKubeconfig } from '../../e2e/support/kubeconfig.ts';
import { findProgram } from '../../e2e/support/programs.ts';
import { apiServerArgs, waitUntilReady } from '../../e2e/support/real-api-server.ts';
import { AUDIT_POLICY } from './audit-log.ts';
import { Part } from './part.ts';

/** The default ones, and those that joining with a token needs. */
const CONTROLLERS = ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'];

export interface PlaneOptions {
  /** The lifetime of the certificates that it signs, as a Go duration; absent: a year. */
  readonly signingDuration?: string;
}

export class ControlPlane {
  readonly folder: string;
  readonly authority: CertificateAuthority;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly etcd = new Part(() => this.#startEtcd());
  readonly apiServer = new Part(() => this.#startApiServer());
  readonly controllerManager = new Part(() => this.#startControllerManager());
  readonly scheduler = new Part(() => this.#startScheduler());
  #etcdFiles: EtcdFiles | undefined;
  #args: readonly string[] = [];
  #signingKey = '';
  #address = '';
  readonly #signingDuration: string;

  constructor(folder: string, { signingDuration = '8760h' }: PlaneOptions = {}) {
    this.folder = folder;
    this.#signingDuration = signingDuration;
    mkdirSync(folder, { recursive: true });
    this.authority = new CertificateAuthority(folder);
    this.kubeconfig = path.join(folder, 'admin.kubeconfig');
    this.auditLog = path.join(folder, 'audit.log');
  }

  get address(): string {
    return this.#address;
  }

  async start(): Promise<void> {
    await this.etcd.start();
    await this.#prepareApiServer();
    await this.apiServer.start();
    await Promise.all([this.controllerManager.start(), this.scheduler.start()]);
  }

  /** Immediately: its data is not needed again, and an API server waits long for its watches. */
  async stop(): Promise<void> {
    const parts = [this.scheduler, this.controllerManager, this.apiServer, this.etcd];
    await Promise.all(parts.map((part) => part.stop('SIGKILL')));
  }

  /** A kubeconfig of a user of this cluster, with a client certificate. */
  admit(name: string, subject: Subject): string {
    const file = path.join(this.folder, `${name}.kubeconfig`);
    const pair = this.authority.issue(name, subject);
    writeKubeconfig(file, this.#address, this.authority.pair.certificate, pair);
    return file;
  }

  async #prepareApiServer(): Promise<void> {
    const { folder, authority } = this;
    const port = await findFreePort();
    this.#address = `https://127.0.0.1:${port}`;
    const serving = authority.issue('serving', {
      commonName: 'kube-apiserver',
      addresses: ['IP:127.0.0.1', 'DNS:localhost', 'DNS:kubernetes.default.svc'],
    });
    const kubeletClient = authority.issue('kubelet-client', {
      commonName: 'kube-apiserver-kubelet-client',
      organization: 'system:masters',
    });
    const signing = authority.makeSigningKey();
    this.#signingKey = signing.privateKey;
    const ca = authority.pair.certificate;
    this.admit('admin', { commonName: 'kubernetes-admin', organization: 'system:masters' });
    const etcd = this.#etcdFiles?.address ?? '';
    const policy = path.join(folder, 'audit-policy.yaml');
    writeFileSync(policy, JSON.stringify(AUDIT_POLICY));
    this.#args = [
      ...apiServerArgs({ etcd, port, folder, serving, ca, signing }),
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth',
      `--kubelet-certificate-authority=${ca}`,
      `--kubelet-client-certificate=${kubeletClient.certificate}`,
      `--kubelet-client-key=${kubeletClient.key}`,
      // The names of our nodes do not resolve.
      '--kubelet-preferred-address-types=InternalIP',
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${this.auditLog}`,
      '--audit-log-mode=blocking',
    ];
  }

  async #startEtcd(): Promise<Daemon> {
    const { daemon, ...place } = await startEtcd(this.folder, this.#etcdFiles);
    this.#etcdFiles = place;
    return daemon;
  }

  async #startApiServer(): Promise<Daemon> {
    const daemon = new Daemon({
      name: 'kube-apiserver',
      command: findProgram('kube-apiserver'),
      folder: this.folder,
      args: this.#args,
    });
    await waitUntilReady(daemon, this.kubeconfig);
    return daemon;
  }

  async #startControllerManager(): Promise<Daemon> {
    const { certificate, key } = this.authority.pair;
    return startControllerManager({
      kubeconfig: this.admit('controller-manager', {
        commonName: 'system:kube-controller-manager',
      }),
      folder: this.folder,
      controllers: CONTROLLERS,
      signingKey: this.#signingKey,
      rootCa: certificate,
      more: [
        '--use-service-account-credentials=true',
        `--cluster-signing-cert-file=${certificate}`,
        `--cluster-signing-key-file=${key}`,
        `--cluster-signing-duration=${this.#signingDuration}`,
      ],
    });
  }

  async #startScheduler(): Promise<Daemon> {
    const kubeconfig = this.admit('scheduler', { commonName: 'system:kube-scheduler' });
    return startScheduler(kubeconfig, this.folder, 'default-scheduler');
  }
}
