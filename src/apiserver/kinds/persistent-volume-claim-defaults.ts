/** What users may leave out of a claim, wherever a claim may stand. */
import type { JsonObject } from '../../lib/json.ts';
import { fillAbsent } from './validation/json-changes.ts';

export function defaultClaimSpec(spec: JsonObject): JsonObject {
  return fillAbsent(spec, { volumeMode: 'Filesystem' });
}
