/**
 * The way from the embedded API server to kubelets: a call for the one in this process, a connection
 * for every other, and for the addresses of pods.
 *
 * The API server has let the client in and decided that they may. The kubelet takes its word: here it
 * is in the same process.
 */
import { KUBELET_CLIENT_USER } from '../../apiserver/auth/kubelet-client.ts';
import { objectsAt, textAt, valueAt } from '../../apiserver/kinds/field-path.ts';
import { isLoopback } from '../../lib/global-unicast.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { Backend, KubeletDialer } from '../../ports/kubelet-dialer.ts';

/** The user of the certificate with which the API server dials the other kubelets, and its rights. */
const API_SERVER = {
  user: { name: KUBELET_CLIENT_USER, groups: ['system:authenticated'] },
} as const;

/** Everything that listens on this machine for itself listens here. */
const SHARED: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

export class LocalKubeletDialer implements KubeletDialer {
  readonly #others: () => KubeletDialer;
  #nodeName: string | null = null;
  #kubelet: HttpHandler | null = null;

  /** `others` is asked when somebody else is meant for the first time. */
  constructor(others: () => KubeletDialer) {
    this.#others = others;
  }

  /** From now on this node's kubelet answers here. */
  open(nodeName: string, kubelet: HttpHandler): void {
    this.#nodeName = nodeName;
    this.#kubelet = kubelet;
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

  fetch: KubeletDialer['fetch'] = (backend, request) => {
    const kubelet = this.#kubeletFor(backend);
    return kubelet ? kubelet.answer(request, API_SERVER) : this.#others().fetch(backend, request);
  };

  connect: KubeletDialer['connect'] = (backend, request, connection) => {
    const kubelet = this.#kubeletFor(backend);
    return kubelet
      ? kubelet.connect(request, connection, API_SERVER)
      : this.#others().connect(backend, request, connection);
  };

  #kubeletFor(backend: Backend): HttpHandler | null {
    if (backend.type !== 'kubelet' || this.#nodeName === null) return null;
    return textAt(backend.node, 'metadata.name') === this.#nodeName ? this.#kubelet : null;
  }
}
