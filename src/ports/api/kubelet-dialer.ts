/**
 * Connects the API server to kubelets and to ports of pods, for logs, exec, port-forward and proxies.
 *
 * A kubelet in the same process is called directly; all others are reached over the network. The API server
 * does not know the difference.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse, Connection } from './http-handler.ts';

/** The other end of the connection. */
export type Backend =
  | {
      readonly type: 'kubelet';
      readonly node: JsonObject;
      /** The node's address must be that of another machine. */
      readonly isRemote?: boolean;
    }
  | {
      readonly type: 'address';
      readonly scheme: 'http' | 'https';
      readonly host: string;
      /** Null: the default port of the scheme. */
      readonly port: number | null;
    };

/**
 * A request to a backend has its path and query, and a URL whose host is ignored.
 *
 * Both reject with an Error whose message can be shown to the client if the backend is unreachable.
 */
export interface KubeletDialer {
  /** Whether this node's kubelet runs in the process of the API server. Absent: none does. */
  isLocal?(nodeName: string): boolean;
  /**
   * The loopback addresses that the node of this process assigned to this pod, and to no other; the node
   * itself answers, because other clients can write the status of a pod. Absent: it assigned none.
   */
  loopbackAddressesOf?(namespace: string, podName: string): Promise<readonly string[]>;
  fetch(backend: Backend, request: ApiRequest): Promise<ApiResponse>;
  /**
   * Asks the backend to upgrade, and joins the two connections if it agrees. Its refusal is passed to the
   * client. Rejects only as long as nothing has been sent to the client.
   */
  connect(backend: Backend, request: ApiRequest, connection: Connection): Promise<void>;
}
