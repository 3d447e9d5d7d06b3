/** Names of nodes, as the API server validates them: a lowercase domain name. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import { defineError } from '../../../lib/errors.ts';

export const nodeNameInvalid = defineError<{ name: string; reason: string }>({
  code: 'NODE_NAME_INVALID',
  retry: 'never',
  message: ({ name, reason }) => `${JSON.stringify(name)} cannot be the name of a node: ${reason}`,
  hint: () => 'Choose a name such as web-2.',
});

/** A label has the name as its value (kubernetes.io/hostname), and a value has 63 characters at most. */
const BYTES_MAX = 63;

/** Null: a node may have the name. */
export function faultOfNodeName(name: string): string | null {
  const [fault] = checkDns1123Subdomain(name);
  if (fault !== undefined) return fault;
  return name.length > BYTES_MAX ? `it has more than ${BYTES_MAX} characters` : null;
}

/** `BASE-2`, `BASE-3` and so on: the first that is free. */
export function freeNodeName(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    // A cut name must not end with a dot or a dash.
    const name = `${base.slice(0, BYTES_MAX - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
    if (!isTaken(name)) return name;
  }
}
