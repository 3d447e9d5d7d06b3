/**
 * Connects the embedded API server to kubelets and pods: the kubelet in this process by a function call, all
 * others, and pods, over the network.
 *
 * The API server has already authenticated and authorized the client, and the kubelet in this process trusts
 * the API server.
 */
import { KUBELET_CLIENT_USER } from '../../../apiserver/auth/kubelet-client.ts';
import { objectsAt, textAt, valueAt } from '../../../apiserver/objects/field-path.ts';
import { isLoopback } from '../../../lib/global-unicast.ts';
import { isJsonObject } from '../../../lib/json.ts';
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

export class LocalKubeletDialer implements KubeletDialer {
  readonly #others: () => KubeletDialer;
  #nodeName: string | null = null;
  #kubelet: HttpHandler | null = null;
  #ownsPort: OwnsPort | undefined;

  /** `others` creates the dialer for other kubelets, at its first use. */
  constructor(others: () => KubeletDialer) {
    this.#others = others;
  }

  /** Registers the kubelet of this process under its node name. `ownsPort`: see PodRuntime. */
  open(nodeName: string, kubelet: HttpHandler, ownsPort?: OwnsPort): void {
    this.#nodeName = nodeName;
    this.#kubelet = kubelet;
    this.#ownsPort = ownsPort;
  }

  isLocal = (nodeName: string): boolean => nodeName === this.#nodeName;

  /**
   * The loopback addresses of a pod: without root, pods share the machine's network, and each has a loopback
   * address of its own.
   */
  loopbackAddressesOf = async (namespace: string, podName: string): Promise<readonly string[]> => {
    const asked = { method: 'GET', url: 'https://node/pods', headers: new Headers(), body: null };
    const answer = await this.#kubelet?.answer(asked, API_SERVER);
    if (answer?.status !== 200) return [];
    const list: unknown = JSON.parse(await new Response(answer.body).text());
    const pods = isJsonObject(list) ? objectsAt(list, 'items') : [];
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
    if ((await this.#ownsPort?.(host, port)) !== false) return;
    throw new Error(`dial tcp ${host}:${port}: connect: connection refused`);
  }

  #kubeletFor(backend: Backend): HttpHandler | null {
    if (backend.type !== 'kubelet' || this.#nodeName === null) return null;
    return textAt(backend.node, 'metadata.name') === this.#nodeName ? this.#kubelet : null;
  }
}
