/** Prepares the manifest of a static pod. */
import { defaultPod } from '../../api/pod-validation/defaults/pod-defaults.ts';
import { validatePod } from '../../api/pod-validation/pod-validation.ts';
import type { JsonObject } from '../../lib/json.ts';

/** A manifest is defaulted and validated as the API server would do it. */
export function prepareManifest(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [fault] = validatePod(full);
  if (fault) throw new Error(`${fault.field}: ${fault.type}`);
  return full;
}
