/**
 * The way from the API server to what runs on nodes: kubelets, and the ports of pods.
 *
 * In one process with the kubelet it is a call; otherwise somebody dials. Which of the two it is, the
 * API server does not know.
 */
import type { JsonObject } from '../lib/json.ts';
import type { ApiRequest, ApiResponse, Connection } from './http-handler.ts';

/** Who is meant. */
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
      /** Null: the one that the scheme implies. */
      readonly port: number | null;
    };

/**
 * A request to a backend has its path and query, and a URL whose host means nothing.
 *
 * Both reject with an Error whose message can be shown to the client if nobody can be reached.
 */
export interface KubeletDialer {
  /** Whether this node's kubelet runs in the process of the API server; absent: none does. */
  isLocal?(nodeName: string): boolean;
  /**
   * The loopback addresses that the node of this process gave to this pod, and to no other; asked of the
   * node itself, because the status of a pod can be written by others. Absent: it gave none.
   */
  loopbackAddressesOf?(namespace: string, podName: string): Promise<readonly string[]>;
  fetch(backend: Backend, request: ApiRequest): Promise<ApiResponse>;
  /**
   * Asks the backend for the other protocol, and joins the two ends if it agrees. What it refuses with
   * is the client's answer. Rejects only as long as the client has been told nothing.
   */
  connect(backend: Backend, request: ApiRequest, connection: Connection): Promise<void>;
}
