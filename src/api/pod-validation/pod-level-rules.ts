/**
 * Validates pod-level resources: requests not below the sum of the containers' requests, limits not below any
 * container's limit.
 */
import { compareQuantities } from '../values/quantity.ts';
import { formatQuantity } from '../values/quantity-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import { forbiddenField, invalidField, type FieldErrors } from '../validation/field-errors.ts';
import { isGiven, readObject, readObjects, readStruct } from '../validation/json-reading.ts';
import { readAmounts } from '../validation/quantities.ts';
import { aggregateAmounts } from './containers/aggregate-resources.ts';
import { isHugePages } from './containers/resource-names.ts';
import { validatePodLevelRequirements, type ResourceContext } from './containers/resources.ts';

export function* validatePodLevelResources(
  spec: JsonObject,
  path: string,
  context: ResourceContext,
): FieldErrors {
  const resources = readObject(spec['resources']);
  if (!resources) return;
  const at = `${path}.resources`;
  if (readStruct(spec['os'])['name'] === 'windows') {
    yield forbiddenField(at, 'may not be set for a windows pod');
    return;
  }
  if (isGiven(resources['claims'])) {
    yield forbiddenField(`${at}.claims`, 'claims may not be set for Resources at pod-level');
  }
  yield* validatePodLevelRequirements(resources, at, context);
  yield* validateRequests(spec, resources, `${at}.requests`);
  yield* validateLimits(spec, resources, at);
}

function* validateRequests(spec: JsonObject, resources: JsonObject, path: string): FieldErrors {
  const asked = readAmounts(resources['requests']);
  for (const [name, together] of aggregateAmounts(spec, 'requests')) {
    const own = asked.get(name);
    if (!own || compareQuantities(together, own) <= 0) continue;
    const least = formatQuantity(together);
    const detail = `must be greater than or equal to aggregate container requests of ${least}`;
    yield invalidField(`${path}[${name}]`, formatQuantity(own), detail);
  }
}

function* validateLimits(spec: JsonObject, resources: JsonObject, path: string): FieldErrors {
  const limited = readAmounts(resources['limits']);
  for (const [name, together] of aggregateAmounts(spec, 'limits')) {
    const own = limited.get(name);
    if (!own || !isHugePages(name) || compareQuantities(together, own) <= 0) continue;
    const least = formatQuantity(together);
    const detail = `must be greater than or equal to aggregate container limits of ${least}`;
    yield invalidField(`${path}.limits[${name}]`, formatQuantity(own), detail);
  }
  for (const [index, container] of readObjects(spec['containers']).entries()) {
    for (const [name, limit] of readAmounts(readStruct(container['resources'])['limits'])) {
      const own = limited.get(name);
      if (!own || compareQuantities(limit, own) <= 0) continue;
      const at = `${path}.containers[${index}][${name}].limits`;
      const detail = `must be less than or equal to pod limits of ${formatQuantity(own)}`;
      yield invalidField(at, formatQuantity(limit), detail);
    }
  }
}
