/** Writes a plan for EndpointSlices: creates slices first, so that no endpoint is missing in between. */
import type { JsonObject } from '../../../../lib/json.ts';
import { endpointSlices } from '../../../kinds/networking/endpoint-slice.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isNamespaceGoing, removeIfThere } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import { targetTo, updateExactly } from '../shared/exact-update.ts';
import type { SliceUpdate } from './slice-plan.ts';

export interface SliceWrites {
  readonly create: readonly JsonObject[];
  readonly update: readonly SliceUpdate[];
  readonly remove: readonly JsonObject[];
}

export async function writeSlices(
  parts: ServerParts,
  namespace: string,
  { create, update, remove }: SliceWrites,
): Promise<void> {
  for (const body of create) {
    try {
      await parts.registry.create({ definition: endpointSlices, namespace, body });
    } catch (error) {
      if (isNamespaceGoing(error)) return;
      throw new Error(`failed to create EndpointSlice: ${textOfError(error)}`, { cause: error });
    }
  }
  for (const { seen, wanted } of update) {
    await updateExactly(parts, targetTo(endpointSlices, seen), seen, () => wanted);
  }
  for (const slice of remove) {
    const options = { uid: uidOf(slice) };
    await removeIfThere(parts.registry, targetTo(endpointSlices, slice), options);
  }
}

function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
