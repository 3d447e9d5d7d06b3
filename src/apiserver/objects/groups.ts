/** The user and group names that the API server itself treats specially. */
import type { User } from './access.ts';

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const MASTERS = 'system:masters';
export const NODES = 'system:nodes';

export const ANONYMOUS_USER: User = { name: ANONYMOUS, groups: [UNAUTHENTICATED] };

/** The user extra that identifies the credential of a request. */
export const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/** Adds the group of all authenticated users, if it is missing. */
export function withAuthenticated(user: User): User {
  const { name, groups } = user;
  const isMarked = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return name === ANONYMOUS || isMarked ? user : { ...user, groups: [...groups, AUTHENTICATED] };
}

/** Members of system:masters may do everything, whatever the roles say. */
export function isMaster({ groups }: User): boolean {
  return groups.includes(MASTERS);
}

const NODE_PREFIX = 'system:node:';

/** The name of the node that this user is. Empty: a node without a name. Null: the user is not a node. */
export function nodeNameOf({ name, groups }: User): string | null {
  if (!name.startsWith(NODE_PREFIX) || !groups.includes(NODES)) return null;
  return name.slice(NODE_PREFIX.length);
}

/** Null: it is not the user name of a node. */
export function readNodeUsername(username: string): string | null {
  return username.startsWith(NODE_PREFIX) ? username.slice(NODE_PREFIX.length) : null;
}
