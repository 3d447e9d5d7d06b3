/** Images of attackers: OCI layouts whose layers try to write outside of the image. */
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Canaries } from '../harness/canaries.ts';

export function hostileImages(_folder: string, _canaries: Canaries): JsonObject {
  return {};
}
