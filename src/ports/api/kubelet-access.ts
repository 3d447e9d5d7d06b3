/**
 * Authentication and authorization of requests to the kubelet's server.
 *
 *     client, token ──identify──> user ──authorize──> the request goes on, or 401, or 403
 *
 * Permissions are those of the cluster: a request to a kubelet is authorized as a request to a subresource of
 * its Node.
 */
import type { User, ClientIdentity } from './http-handler.ts';

export interface NodeAttributes {
  /** Such as `get`; empty for a method that the API has no verb for. */
  readonly verb: string;
  readonly nodeName: string;
  /** Such as `proxy` or `metrics`. */
  readonly subresource: string;
}

export interface KubeletDecision {
  readonly allowed: boolean;
  /** Why, for people; may be empty. */
  readonly reason: string;
}

export interface KubeletAccess {
  /** Null: the client is unknown. Rejects if the client could not be checked. */
  identify(clientIdentity: ClientIdentity, bearerToken: string | null): Promise<User | null>;
  /** Rejects if no decision could be made. */
  authorize(user: User, attributes: NodeAttributes): Promise<KubeletDecision>;
}
