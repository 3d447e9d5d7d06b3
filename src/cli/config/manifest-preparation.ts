/** Applies defaults to the manifest of a static pod, and validates it. */
import { defaultPod } from '../../api/pod-validation/defaults/pod-defaults.ts';
import { validatePod } from '../../api/pod-validation/pod-validation.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Does what the API server would do with the pod. Throws if the manifest is invalid. */
export function prepareManifest(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [fault] = validatePod(full);
  if (fault) throw new Error(`${fault.field}: ${fault.type}`);
  return full;
}
