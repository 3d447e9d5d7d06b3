/** Applies the defaults of a PersistentVolumeClaim's spec, also inside templates. */
import type { JsonObject } from '../../../lib/json.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';

export function defaultClaimSpec(spec: JsonObject): JsonObject {
  return fillAbsent(spec, { volumeMode: 'Filesystem' });
}
