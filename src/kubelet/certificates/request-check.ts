/**
 * Checks whether an existing CertificateSigningRequest of the same name is podkeep's own: made with the same
 * key, for the same subject and signer, and not expired. Otherwise its certificate would be of no use.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { Subject } from '../../lib/x509/distinguished-name.ts';
import { readPem } from '../../lib/x509/pem.ts';
import { readCertificate } from '../../lib/x509/read-certificate.ts';
import { readSigningRequest } from '../../lib/x509/signing-request.ts';
import { certificateRequestTaken } from './certificate-errors.ts';

export interface ExpectedRequest {
  readonly name: string;
  readonly signer: string;
  readonly subject: Pick<Subject, 'commonName' | 'organizations'>;
  readonly publicKey: Uint8Array;
}

/** Throws CERTIFICATE_REQUEST_TAKEN. */
export function checkIsOurs(found: JsonObject, expected: ExpectedRequest, nowMs: number): void {
  const { name } = expected;
  let reason: string | null;
  try {
    reason = differenceOf(found, expected, nowMs);
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    throw certificateRequestTaken({ request: name, reason: error.message }, error);
  }
  if (reason !== null) throw certificateRequestTaken({ request: name, reason });
}

/** Null: there is none. */
function differenceOf(found: JsonObject, expected: ExpectedRequest, nowMs: number): string | null {
  const spec = isJsonObject(found['spec']) ? found['spec'] : {};
  const status = isJsonObject(found['status']) ? found['status'] : {};
  const { subject, publicKey } = readSigningRequest(textOf(spec['request']));
  const { commonName, organizations } = expected.subject;
  if (spec['signerName'] !== expected.signer) return 'it is for another signer';
  const isSameSubject =
    subject.commonName === commonName &&
    subject.organizations.toSorted().join('\n') === organizations.toSorted().join('\n');
  if (!isSameSubject) return 'it has another subject';
  if (Buffer.compare(publicKey, expected.publicKey) !== 0) return 'it was made with another key';
  const issued = Buffer.from(textOf(status['certificate']), 'base64').toString();
  if (issued === '') return null;
  const { notAfterMs } = readCertificate(readPem('CERTIFICATE', issued));
  return nowMs > notAfterMs ? 'its certificate has expired' : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
