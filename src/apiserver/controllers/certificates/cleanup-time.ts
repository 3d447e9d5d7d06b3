/**
 * Decides when a certificate request is removed, by the deadlines of Kubernetes:
 *
 *     pending                             24 hours after its creation
 *     approved, without a certificate     24 hours after its approval
 *     approved, with a certificate        an hour after its approval, or when the certificate expires
 *     denied or failed                    an hour after the denial or failure
 */
import { parseTime } from '../../../api/values/time.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readPem } from '../../../lib/x509/pem.ts';
import { readCertificate } from '../../../lib/x509/read-certificate.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Infinity: never. */
export function cleanupTimeMs(request: JsonObject): number {
  const conditions = objectsAt(request, 'status.conditions');
  if (conditions.length === 0) {
    return readTimeMs(textAt(request, 'metadata.creationTimestamp')) + DAY_MS;
  }
  const certificate = textAt(request, 'status.certificate');
  return Math.min(...conditions.map((condition) => dueMs(condition, certificate)));
}

function dueMs(condition: JsonObject, certificate: string): number {
  const sinceMs = readTimeMs(readText(condition['lastUpdateTime']));
  switch (readText(condition['type'])) {
    case 'Approved':
      if (certificate === '') return sinceMs + DAY_MS;
      return Math.min(sinceMs + HOUR_MS, expiryMs(certificate));
    case 'Denied':
    case 'Failed':
      return sinceMs + HOUR_MS;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

/** Of the first certificate; Infinity: it cannot be read. */
function expiryMs(encoded: string): number {
  try {
    const pem = Buffer.from(encoded, 'base64').toString();
    return readCertificate(readPem('CERTIFICATE', pem)).notAfterMs;
  } catch (error) {
    if (error instanceof PodkeepError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Infinity: there is none, or it cannot be read. */
function readTimeMs(text: string): number {
  if (text === '') return Number.POSITIVE_INFINITY;
  try {
    return parseTime(text).ms;
  } catch (error) {
    if (error instanceof PodkeepError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
