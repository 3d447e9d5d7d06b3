/**
 * What makes resource requirements unfit to be kept.
 *
 * A store asks this before it takes something in, and again when it reads its file: an amount that
 * nobody can read must not get into a file that has to be read in full before the node may start.
 */
import { readQuantity } from '../../api/quantity-text.ts';
import type { ResourceRequirements } from '../../api/resources.ts';
import { defineError, PodkeepError } from '../../lib/errors.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';

export const resourcesInvalid = defineError<{ of: string; fault: string }>({
  code: 'RESOURCES_INVALID',
  retry: 'never',
  message: ({ of, fault }) => `the resources of ${of} cannot be kept: ${fault}`,
  hint: () => 'Correct the resources in the manifest of the pod.',
});

/** The first fault, as the end of a sentence that names the requirements; none if they are fine. */
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
