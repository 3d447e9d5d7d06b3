/**
 * Reaches kubelets from the embedded API server: a function call for the one in this process, a
 * connection for every other, and for the addresses of pods.
 *
 * The API server has authenticated and authorized the client. The kubelet of this process trusts it.
 */
import { KUBELET_CLIENT_USER } from '../../../apiserver/auth/kubelet-client.ts';
import { objectsAt, textAt, valueAt } from '../../../apiserver/objects/field-path.ts';
import { isLoopback } from '../../../lib/global-unicast.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { HttpHandler } from '../../../ports/api/http-handler.ts';
import type { Backend, KubeletDialer } from '../../../ports/api/kubelet-dialer.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';

/** The user of the certificate with which the API server dials the other kubelets, and its rights. */
const API_SERVER = {
  user: { name: KUBELET_CLIENT_USER, groups: ['system:authenticated'] },
} as const;

/** Programs of this machine that listen on loopback listen here. */
const SHARED: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

type OwnsPort = NonNullable<PodRuntime['ownsPort']>;

export class LocalKubeletDialer implements KubeletDialer {
  readonly #others: () => KubeletDialer;
  #nodeName: string | null = null;
  #kubelet: HttpHandler | null = null;
  #ownsPort: OwnsPort | undefined;

  /** `others` is created when another kubelet is dialled for the first time. */
  constructor(others: () => KubeletDialer) {
    this.#others = others;
  }

  /** From now on this node's kubelet answers here. `ownsPort`: see PodRuntime. */
  open(nodeName: string, kubelet: HttpHandler, ownsPort?: OwnsPort): void {
    this.#nodeName = nodeName;
    this.#kubelet = kubelet;
    this.#ownsPort = ownsPort;
  }

  isLocal = (nodeName: string): boolean => nodeName === this.#nodeName;

  /** Without root pods share the network of the machine, and each has a loopback address of its own. */
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

  /** The machine may listen on a pod's loopback address, too. A client of the pod must not reach that. */
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
