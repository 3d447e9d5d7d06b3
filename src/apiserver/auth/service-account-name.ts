/** Converts between a service account and its user name and groups. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../api/validation-names.ts';

const PREFIX = 'system:serviceaccount:';
const ALL_GROUP = 'system:serviceaccounts';

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export function usernameOf({ namespace, name }: AccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

export function groupsOf({ namespace }: Pick<AccountName, 'namespace'>): readonly string[] {
  return [ALL_GROUP, `${ALL_GROUP}:${namespace}`];
}

/** Null: the name is not that of a service account. */
export function readUsername(username: string): AccountName | null {
  if (!username.startsWith(PREFIX)) return null;
  const [namespace = '', name, ...more] = username.slice(PREFIX.length).split(':');
  if (name === undefined || more.length > 0) return null;
  const isGood =
    checkDns1123Label(namespace).length === 0 && checkDns1123Subdomain(name).length === 0;
  return isGood ? { namespace, name } : null;
}
