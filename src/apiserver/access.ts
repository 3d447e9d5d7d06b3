/**
 * Who asks, and whether they may.
 *
 *     client at a door ──authenticate──> user ──authorize──> the request goes on, or 401, or 403
 *
 * A server without an Access trusts everybody who can reach it: that is for tests, and for a process
 * that is alone with its server.
 */
import type { FieldSelector } from '../api/field-selector.ts';
import type { ApiRequest, User, ClientIdentity } from '../ports/http-handler.ts';

export type { User, ClientIdentity };

/** What a request wants to do: with a resource, or with another path of the server. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: the resource itself. */
  readonly subresource: string;
  /** Empty: all namespaces, or a resource that has none. */
  readonly namespace: string;
  readonly name: string;
  /** Of a list or watch: it asks for these only. */
  readonly fieldSelector?: FieldSelector;
}

export interface PathAttributes {
  /** The method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export interface AccessDecision {
  readonly isAllowed: boolean;
  /** Why, for people; may be empty. */
  readonly reason: string;
}

export interface Access {
  /** Throws a StatusError (401) if the client cannot be who they say, or may not act as somebody. */
  authenticate(request: ApiRequest, clientIdentity: ClientIdentity): Promise<User>;
  authorize(user: User, attributes: Attributes): AccessDecision;
}

/** Whom nothing is forbidden, by the group it is in. */
export const MASTER: User = { name: 'system:admin', groups: ['system:masters'] };

export const openAccess: Access = {
  authenticate: async (_request, { user = MASTER }) => user,
  authorize: () => ({ isAllowed: true, reason: '' }),
};
