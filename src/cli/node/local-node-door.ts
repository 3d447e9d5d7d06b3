/**
 * The way from the embedded API server to kubelets: a call for the one in this process, a connection
 * for every other, and for the addresses of pods.
 *
 * The API server has let the visitor in and decided that they may. The kubelet takes its word: here it
 * is in the same process.
 */
import { textAt } from '../../apiserver/kinds/field-path.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { Backend, NodeDoor } from '../../ports/node-door.ts';

/** Who the API server is to kubelets, as kubeadm names it. */
const API_SERVER = {
  user: { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] },
} as const;

export class LocalNodeDoor implements NodeDoor {
  readonly #others: () => NodeDoor;
  #nodeName: string | null = null;
  #kubelet: HttpHandler | null = null;

  /** `others` is asked when somebody else is meant for the first time. */
  constructor(others: () => NodeDoor) {
    this.#others = others;
  }

  /** From now on this node's kubelet answers here. */
  open(nodeName: string, kubelet: HttpHandler): void {
    this.#nodeName = nodeName;
    this.#kubelet = kubelet;
  }

  fetch: NodeDoor['fetch'] = (backend, request) => {
    const kubelet = this.#kubeletFor(backend);
    return kubelet ? kubelet.answer(request, API_SERVER) : this.#others().fetch(backend, request);
  };

  connect: NodeDoor['connect'] = (backend, request, connection) => {
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
