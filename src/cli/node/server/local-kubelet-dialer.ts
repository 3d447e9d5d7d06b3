/**
 * Reaches kubelets from the embedded API server: a function call for those in this process, a
 * connection for every other, and for the addresses of pods.
 *
 * The API server has authenticated and authorized the client. The kubelets of this process trust the API
 * server.
 */
import { KUBELET_CLIENT_USER } from '../../../apiserver/auth/kubelet-client.ts';
import { objectsAt, textAt, valueAt } from '../../../apiserver/objects/field-path.ts';
import { isLoopback } from '../../../lib/global-unicast.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { HttpHandler } from '../../../ports/api/http-handler.ts';
import type { Backend, KubeletDialer } from '../../../ports/api/kubelet-dialer.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';

/** The user with which the API server calls kubelets, as in its client certificate. */
const API_SERVER = {
  user: { name: KUBELET_CLIENT_USER, groups: ['system:authenticated'] },
} as const;

/** The loopback addresses on which other programs of this machine listen. */
const SHARED: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

type OwnsPort = NonNullable<PodRuntime['ownsPort']>;

interface LocalKubelet {
  readonly kubelet: HttpHandler;
  readonly ownsPort: OwnsPort | undefined;
}

export class LocalKubeletDialer implements KubeletDialer {
  readonly #others: () => KubeletDialer;
  /** By the name of the node. */
  readonly #local = new Map<string, LocalKubelet>();

  /** `others` creates the dialer for other kubelets, at its first use. */
  constructor(others: () => KubeletDialer) {
    this.#others = others;
  }

  /** Registers the kubelet of this process under its node name. `ownsPort`: see PodRuntime. */
  open(nodeName: string, kubelet: HttpHandler, ownsPort?: OwnsPort): void {
    this.#local.set(nodeName, { kubelet, ownsPort });
  }

  /** The node is stopped. */
  close(nodeName: string): void {
    this.#local.delete(nodeName);
  }

  isLocal = (nodeName: string): boolean => this.#local.has(nodeName);

  /**
   * The loopback addresses of a pod: without root, pods share the machine's network, and each has a loopback
   * address of its own.
   */
  loopbackAddressesOf = async (namespace: string, podName: string): Promise<readonly string[]> => {
    const kubelets = [...this.#local.values()].map(({ kubelet }) => kubelet);
    const pods = (await Promise.all(kubelets.map(podsOf))).flat();
    const pod = pods.find(
      (one) =>
        textAt(one, 'metadata.name') === podName && textAt(one, 'metadata.namespace') === namespace,
    );
    if (!pod || valueAt(pod, 'spec.hostNetwork') === true) return [];
    const ips = objectsAt(pod, 'status.podIPs').map((one) => textAt(one, 'ip'));
    return ips.filter((ip) => isLoopback(ip) && !SHARED.has(ip));
  };

  fetch: KubeletDialer['fetch'] = async (backend, request) => {
    const kubelet = this.#kubeletFor(backend);
    await this.#checkPort(backend);
    return kubelet ? kubelet.answer(request, API_SERVER) : this.#others().fetch(backend, request);
  };

  connect: KubeletDialer['connect'] = async (backend, request, connection) => {
    const kubelet = this.#kubeletFor(backend);
    await this.#checkPort(backend);
    return kubelet
      ? kubelet.connect(request, connection, API_SERVER)
      : this.#others().connect(backend, request, connection);
  };

  /**
   * Refuses ports on which the pod does not listen: other programs of the machine may listen on the pod's
   * loopback address, and clients of the pod must not reach them.
   */
  async #checkPort(backend: Backend): Promise<void> {
    if (backend.type !== 'address' || !isLoopback(backend.host)) return;
    const { host, scheme } = backend;
    const port = backend.port ?? (scheme === 'https' ? 443 : 80);
    for (const { ownsPort } of this.#local.values()) {
      if ((await ownsPort?.(host, port)) !== false) continue;
      throw new Error(`dial tcp ${host}:${port}: connect: connection refused`);
    }
  }

  #kubeletFor(backend: Backend): HttpHandler | null {
    if (backend.type !== 'kubelet') return null;
    return this.#local.get(textAt(backend.node, 'metadata.name'))?.kubelet ?? null;
  }
}

async function podsOf(kubelet: HttpHandler): Promise<readonly JsonObject[]> {
  const asked = { method: 'GET', url: 'https://node/pods', headers: new Headers(), body: null };
  const answer = await kubelet.answer(asked, API_SERVER);
  if (answer.status !== 200) return [];
  const list: unknown = JSON.parse(await new Response(answer.body).text());
  return isJsonObject(list) ? objectsAt(list, 'items') : [];
}
