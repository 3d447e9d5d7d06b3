/**
 * Connects a node to its cluster: obtains the node's client certificate, and renews it.
 *
 *     kubeconfig valid? ─no──> bootstrap kubeconfig ──> first certificate ──> kubeconfig with it
 *         └──yes──────────────────────────────────────────────────────────────────┤
 *                                              rotateCertificates? ──> renew before it expires
 *
 * As in Kubernetes' kubelet, a kubeconfig is valid if its client certificate has not expired; without a
 * bootstrap kubeconfig this is not checked. With rotation, the node uses the certificate in its certificate
 * folder. A certificate inside the kubeconfig itself is used only for the start: kubeadm writes one with all
 * rights, which the node replaces immediately.
 */
import { measuredTransport } from '../../client/transport/measured-transport.ts';
import type { RequestObserver } from '../../ports/observe/request-observer.ts';
import { createKubeApi } from '../../client/kube-api.ts';
import type { ClusterAccess, PemSource } from '../../client/kubeconfig/cluster-access.ts';
import { loadKubeconfig } from '../../client/kubeconfig/kubeconfig.ts';
import { createHttpsTransport } from '../../client/transport/https-transport.ts';
import type { Transport } from '../../client/transport/transport.ts';
import { clientTemplate } from '../../core/certificates/certificate-template.ts';
import { isExpired } from '../../core/certificates/rotation.ts';
import { CertificateManager } from '../../kubelet/certificates/certificate-manager.ts';
import { ClientCertificateMetrics } from '../../kubelet/certificates/certificate-metrics.ts';
import type { Asked } from '../../kubelet/certificates/certificate-request.ts';
import { readPair, type CertificatePair } from '../../kubelet/certificates/certificate-pair.ts';
import { CertificateStore, readIfThere } from '../../kubelet/certificates/certificate-store.ts';
import { obtainFirstCertificate } from '../../kubelet/certificates/first-certificate.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { ClosingList } from '../closing-list.ts';
import { writeNodeKubeconfig } from './node-kubeconfig.ts';

export interface ClusterLinkOptions {
  readonly nodeName: string;
  readonly kubeconfig: string;
  /** Absent: the kubeconfig must be good as it is. */
  readonly bootstrapKubeconfig?: string | undefined;
  /** Absolute. */
  readonly certificateFolder: string;
  readonly rotates: boolean;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly registry: Registry;
  readonly requests: RequestObserver;
  readonly asked: Asked;
}

/** Resolves when there is a connection to the API as this node. Everything it opens goes onto `closing`. */
export async function openClusterLink(
  options: ClusterLinkOptions,
  closing: ClosingList,
  signal: AbortSignal,
): Promise<KubeApi> {
  const link = new ClusterLink(options, closing);
  await link.join(signal);
  return link.open();
}

class ClusterLink {
  readonly #options: ClusterLinkOptions;
  readonly #closing: ClosingList;
  readonly #store: CertificateStore;
  #newcomer: Transport | null = null;

  constructor(options: ClusterLinkOptions, closing: ClosingList) {
    this.#options = options;
    this.#closing = closing;
    const folder = options.certificateFolder;
    this.#store = new CertificateStore({ clock, folder, prefix: 'kubelet-client' });
    closing.add(async () => this.#newcomer?.close());
  }

  /** Creates the kubeconfig, if it is not good. */
  async join(signal: AbortSignal): Promise<void> {
    const { bootstrapKubeconfig, kubeconfig, certificateFolder: folder, log } = this.#options;
    if (bootstrapKubeconfig === undefined || (await this.#isGood())) return;
    log.info('Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file', {
      kubeconfig,
      bootstrapKubeconfig,
    });
    const access = await loadKubeconfig(bootstrapKubeconfig);
    const transport = this.#connect(access);
    try {
      const { nodeName, asked } = this.#options;
      const parts = { api: this.#apiOver(transport), clock, random, log, nodeName, asked };
      await obtainFirstCertificate({ ...parts, store: this.#store, folder }, signal);
    } finally {
      await transport.close();
    }
    await writeNodeKubeconfig(kubeconfig, access, this.#store.currentPath);
    log.info('node joined the cluster', { kubeconfig });
  }

  async open(): Promise<KubeApi> {
    const access = await loadKubeconfig(this.#options.kubeconfig);
    if (!this.#options.rotates) {
      const transport = this.#connect(access);
      this.#closing.add(() => transport.close());
      return this.#apiOver(transport);
    }
    return this.#openRotating(access);
  }

  async #openRotating(access: ClusterAccess): Promise<KubeApi> {
    const { nodeName, log, registry, asked } = this.#options;
    const { initial, isForced } = await this.#initialPair(access);
    const template = clientTemplate(nodeName);
    const transport = this.#connect(access, () => manager.current());
    this.#closing.add(() => transport.close());
    const api = this.#apiOver(transport);
    const manager: CertificateManager = new CertificateManager({
      clock,
      random,
      log,
      store: this.#store,
      signer: 'kubernetes.io/kube-apiserver-client-kubelet',
      template: () => template,
      api: (current) => (current ? api : this.#newcomersApi(api)),
      initial,
      isForced,
      rotated: () => {},
      failed: () => metrics.failed(),
      asked,
    });
    const metrics = new ClientCertificateMetrics(registry, clock, () => manager.current());
    manager.start();
    this.#closing.add(() => manager.stop());
    return api;
  }

  /** For a node whose certificate expires while it runs. */
  async #newcomersApi(own: KubeApi): Promise<KubeApi> {
    const { bootstrapKubeconfig } = this.#options;
    if (bootstrapKubeconfig === undefined) return own;
    // The administrator repairs such a node by putting a new token there.
    const access = await loadKubeconfig(bootstrapKubeconfig);
    await this.#newcomer?.close();
    this.#newcomer = this.#connect(access);
    return this.#apiOver(this.#newcomer);
  }

  async #initialPair(
    access: ClusterAccess,
  ): Promise<{ readonly initial: CertificatePair | null; readonly isForced: boolean }> {
    const kept = await this.#store.current();
    if (kept && !isExpired(kept, clock.now())) return { initial: kept, isForced: false };
    const given = await pairOf(access, this.#options.kubeconfig);
    if (!given || isExpired(given, clock.now())) return { initial: null, isForced: true };
    const isInline = access.user.certificate !== undefined && 'pem' in access.user.certificate;
    if (isInline) await this.#store.update(given);
    return { initial: given, isForced: isInline };
  }

  async #isGood(): Promise<boolean> {
    const { kubeconfig, log } = this.#options;
    if ((await readIfThere(kubeconfig)) === null) return false;
    try {
      const pair = await pairOf(await loadKubeconfig(kubeconfig), kubeconfig);
      const isGood = pair !== null && !isExpired(pair, clock.now());
      if (!isGood) log.warn('client certificate of the kubeconfig is missing or expired');
      return isGood;
    } catch (error) {
      if (!(error instanceof PodkeepError)) throw error;
      log.warn('kubeconfig cannot be used', { kubeconfig, error });
      return false;
    }
  }

  #connect(access: ClusterAccess, certificate?: () => CertificatePair | null): Transport {
    const { log, environment } = this.#options;
    const transport = createHttpsTransport(access, {
      clock,
      log,
      environment,
      ...(certificate && { certificate }),
    });
    const { host } = new URL(access.server);
    return measuredTransport(transport, host, clock, this.#options.requests);
  }

  #apiOver(transport: Transport): KubeApi {
    return createKubeApi(transport, { clock, version: this.#options.version });
  }
}

/** The client certificate of a kubeconfig; null: it has none. */
async function pairOf({ user }: ClusterAccess, from: string): Promise<CertificatePair | null> {
  const { certificate, key } = user;
  if (!certificate || !key) return null;
  return readPair(await textOf(certificate), await textOf(key), from);
}

async function textOf(source: PemSource): Promise<string> {
  return 'pem' in source ? source.pem : ((await readIfThere(source.file)) ?? '');
}
