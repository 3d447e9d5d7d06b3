/**
 * Builds the Status of a request that a webhook refused, or for which a webhook without dry-run support would
 * have to be called.
 */
import { readNumber, readText } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { badRequest, StatusError } from '../../objects/status.ts';
import { structAt } from '../../objects/field-path.ts';

const BAD_REQUEST = 400;
const CODE_MAX = 599;

/** A refusal is never a success, whatever code the webhook gives. */
export function refusalOf(webhook: string, result: JsonObject): StatusError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const [message, reason] = [readText(result['message']), readText(result['reason'])];
  const why = message || reason;
  const code = readNumber(result['code']);
  const isCode = Number.isInteger(code) && code >= BAD_REQUEST && code <= CODE_MAX;
  const details = structAt(result, 'details');
  return new StatusError(
    isCode ? code : BAD_REQUEST,
    reason,
    why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    Object.keys(details).length > 0 ? details : undefined,
  );
}

export function dryRunUnsupported(webhook: string): StatusError {
  return badRequest(`admission webhook ${JSON.stringify(webhook)} does not support dry run`);
}
