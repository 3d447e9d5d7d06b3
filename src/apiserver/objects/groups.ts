/** The users and groups that have a meaning to the API server itself. */
import type { User } from './access.ts';

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const MASTERS = 'system:masters';
export const NODES = 'system:nodes';

export const ANONYMOUS_USER: User = { name: ANONYMOUS, groups: [UNAUTHENTICATED] };

/** The extra that names the credential of a request. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Adds the group of all authenticated users, unless the user is in it already. */
export function withAuthenticated(user: User): User {
  const { name, groups } = user;
  const isMarked = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return name === ANONYMOUS || isMarked ? user : { ...user, groups: [...groups, AUTHENTICATED] };
}

/** Members may do everything, whatever the roles say. */
export function isMaster({ groups }: User): boolean {
  return groups.includes(MASTERS);
}

const NODE_PREFIX = 'system:node:';

/** The name of the node that this user is; empty: a node without a name; null: no node. */
export function nodeNameOf({ name, groups }: User): string | null {
  if (!name.startsWith(NODE_PREFIX) || !groups.includes(NODES)) return null;
  return name.slice(NODE_PREFIX.length);
}

/** Null: not a node's username. */
export function readNodeUsername(username: string): string | null {
  return username.startsWith(NODE_PREFIX) ? username.slice(NODE_PREFIX.length) : null;
}
