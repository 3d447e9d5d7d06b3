/**
 * Obtains and renews the serving certificate that the cluster signs for a node (serverTLSBootstrap). It
 * covers all names and addresses of the node, and is renewed when they change. An administrator or a
 * controller must approve each request; Kubernetes does not approve it automatically.
 */
import { servingTemplate } from '../../../core/certificates/certificate-template.ts';
import { isExpired } from '../../../core/certificates/rotation.ts';
import { CertificateManager } from '../../../kubelet/certificates/certificate-manager.ts';
import { ServingCertificateMetrics } from '../../../kubelet/certificates/certificate-metrics.ts';
import type { Asked } from '../../../kubelet/certificates/certificate-request.ts';
import { CertificateStore } from '../../../kubelet/certificates/certificate-store.ts';
import type { Json } from '../../../lib/json.ts';
import type { Registry } from '../../../lib/metrics/registry.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { systemRandom as random } from '../../../platform/system-random.ts';
import type { KubeApi } from '../../../ports/api/kube-api.ts';
import type { Log } from '../../../ports/log.ts';
import type { KubeletListener } from './kubelet-listener.ts';

export interface ServingCertificateOptions {
  readonly nodeName: string;
  readonly certificateFolder: string;
  readonly api: KubeApi;
  readonly log: Log;
  readonly registry: Registry;
  readonly listener: KubeletListener;
  /** status.addresses of the Node. */
  readonly addresses: () => Json | undefined;
  readonly asked: Asked;
}

/** Uses a stored certificate immediately. The caller must stop the returned manager. */
export async function keepServingCertificate(
  options: ServingCertificateOptions,
): Promise<CertificateManager> {
  const {
    nodeName,
    certificateFolder: folder,
    api,
    log,
    registry,
    listener,
    addresses,
    asked,
  } = options;
  const store = new CertificateStore({ clock, folder, prefix: 'kubelet-server' });
  const kept = await store.current().catch((error: unknown) => {
    log.warn('Stored serving certificate cannot be used; requesting a new one', {
      error,
    });
    return null;
  });
  const initial = kept && !isExpired(kept, clock.now()) ? kept : null;
  if (initial) listener.show(initial);
  const manager: CertificateManager = new CertificateManager({
    clock,
    random,
    log,
    store,
    signer: 'kubernetes.io/kubelet-serving',
    template: () => servingTemplate(nodeName, addresses()),
    api: () => api,
    initial,
    isForced: false,
    rotated: (pair, lifeSeconds) => {
      listener.show(pair);
      metrics.rotated(lifeSeconds);
    },
    failed: () => metrics.failed(),
    asked,
  });
  const metrics = new ServingCertificateMetrics(registry, clock, () => manager.current());
  manager.start();
  return manager;
}
