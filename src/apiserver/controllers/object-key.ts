/** Parses a store key: group, resource, namespace and name. */

export interface ObjectKey {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  /** Empty: cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
}

export function readKey(key: string): ObjectKey {
  const [, group = '', resource = '', ...rest] = key.split('/');
  const [first = '', second] = rest;
  const place =
    second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
  return { group: group === 'core' ? '' : group, resource, ...place };
}
