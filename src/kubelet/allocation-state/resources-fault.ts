/**
 * Validates resource requirements before they are written to a checkpoint.
 *
 * A store checks them before it accepts them, and again when it reads its file: podkeep does not start with a
 * checkpoint that it cannot read completely, so an amount that cannot be parsed must not be written.
 */
import { readQuantity } from '../../api/values/quantity-text.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { defineError, PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';

export const resourcesInvalid = defineError<{ of: string; fault: string }>({
  code: 'RESOURCES_INVALID',
  retry: 'never',
  message: ({ of, fault }) => `the allocated resources of ${of} cannot be checkpointed: ${fault}`,
  hint: () => 'Correct the resources in the manifest of the pod.',
});

/** The first fault, as the end of a sentence that names the requirements; undefined if they are valid. */
export function faultOfResources(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'they are not an object';
  for (const field of ['limits', 'requests']) {
    const fault = faultOfList(value[field]);
    if (fault !== undefined) return `${field}${fault}`;
  }
  return undefined;
}

export function isResources(value: unknown): value is ResourceRequirements {
  return faultOfResources(value) === undefined;
}

function faultOfList(list: Json | undefined): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!isJsonObject(list)) return ' is not an object';
  for (const [name, amount] of Object.entries(list)) {
    const fault = faultOfAmount(amount);
    if (fault !== undefined) return `.${name}: ${fault}`;
  }
  return undefined;
}

function faultOfAmount(amount: Json): string | undefined {
  if (typeof amount !== 'string' && typeof amount !== 'number') return 'it is not a quantity';
  try {
    readQuantity(amount);
    return undefined;
  } catch (error) {
    if (error instanceof PodkeepError) return error.message;
    throw error;
  }
}
