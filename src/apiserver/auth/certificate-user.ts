/**
 * Reads the user from a client certificate that the listener has verified: the common name is the user name,
 * and each organization is a group. The listener verifies only once per connection, so this file checks the
 * validity period at each request.
 */
import { createHash } from 'node:crypto';
import { PodkeepError } from '../../lib/errors.ts';
import type { User } from '../objects/access.ts';
import { readCertificate, type Validity } from '../../lib/x509/read-certificate.ts';
import { CREDENTIAL_ID } from '../objects/groups.ts';

interface Holder extends Validity {
  readonly user: User;
}

/** Cached, because every request of a connection has the same certificate. */
const known = new WeakMap<Uint8Array, Holder | null>();

/** Null: the certificate names no user, or has expired. */
export function userOfCertificate(der: Uint8Array, nowMs: number): User | null {
  const holder = known.get(der) ?? readHolder(der);
  known.set(der, holder);
  if (!holder || nowMs < holder.notBeforeMs || nowMs > holder.notAfterMs) return null;
  return holder.user;
}

function readHolder(der: Uint8Array): Holder | null {
  try {
    const { subject, notBeforeMs, notAfterMs } = readCertificate(der);
    const { commonName, organizations, uids } = subject;
    if (commonName === '' || uids.length > 1 || uids[0] === '') return null;
    const [uid] = uids;
    const fingerprint = createHash('sha256').update(der).digest('hex');
    const user = {
      name: commonName,
      ...(uid !== undefined && { uid }),
      groups: organizations,
      extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
    };
    return { user, notBeforeMs, notAfterMs };
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}
