/** Validates the resize policy: whether a container restarts when its resources are changed in place. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  requireOneOf,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readObjects, readText } from '../../validation/json-reading.ts';

const RESOURCES = ['cpu', 'memory'];
const POLICIES = ['NotRequired', 'RestartContainer'];

export function* validateResizePolicy(
  container: JsonObject,
  path: string,
  podRestartPolicy: string,
): FieldErrors {
  const seen = new Set<string>();
  for (const [index, policy] of readObjects(container['resizePolicy']).entries()) {
    const resource = readText(policy['resourceName']);
    const restart = readText(policy['restartPolicy']);
    if (seen.has(resource)) yield duplicate(`${path}[${index}]`, resource);
    seen.add(resource);
    // The API reports the error for the list, not for the entry.
    yield* requireOneOf(path, resource, RESOURCES);
    yield* requireOneOf(path, restart, POLICIES);
    if (podRestartPolicy === 'Never' && restart !== 'NotRequired') {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      yield invalidField(path, restart, detail);
    }
  }
}
