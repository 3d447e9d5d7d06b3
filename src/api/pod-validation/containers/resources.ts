/** Validates the requests and limits of containers and pods. */
import {
  compareQuantities,
  quantityValue,
  signOfQuantity,
  type Quantity,
} from '../../values/quantity.ts';
import { formatQuantity, parseQuantity } from '../../values/quantity-text.ts';
import { checkLabelKey } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  invalidFor,
  notFoundField,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readObjects, readStruct, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateDnsLabel } from '../../validation/names.ts';
import { isWhole, readAmounts, validateNotNegative } from '../../validation/quantities.ts';
import { allContainers } from '../container-lists.ts';
import * as names from './resource-names.ts';
import type { SpecOptions } from '../spec-options.ts';

export interface ResourceContext {
  readonly options: SpecOptions;
  /** The names of the pod's resource claims. */
  readonly claimNames: ReadonlySet<string>;
}

export function* validateContainerResources(
  requirements: JsonObject,
  path: string,
  context: ResourceContext,
): FieldErrors {
  yield* validateRequirements(requirements, path, context, validateContainerResourceName);
}

export function* validatePodLevelRequirements(
  requirements: JsonObject,
  path: string,
  context: ResourceContext,
): FieldErrors {
  yield* validateRequirements(requirements, path, context, validatePodResourceName);
}

export function hasIndivisibleHugePages(spec: JsonObject): boolean {
  const lists = allContainers(spec).flatMap(({ container }) => {
    const { limits, requests } = readStruct(container['resources']);
    return [limits, requests];
  });
  return [...lists, spec['overhead']].some((list) =>
    [...readAmounts(list)].some(([name, amount]) => hugePagesFault(name, amount) !== undefined),
  );
}

type NameRule = (name: string, path: string) => FieldErrors;

function* validateRequirements(
  { limits, requests, claims }: JsonObject,
  path: string,
  context: ResourceContext,
  validateName: NameRule,
): FieldErrors {
  const [limited, asked] = [readAmounts(limits), readAmounts(requests)];
  for (const [name, amount] of limited) {
    const at = `${path}.limits[${name}]`;
    yield* validateName(name, at);
    yield* validateAmount(name, amount, at);
    yield* validateHugePages(name, amount, at, context);
  }
  for (const [name, amount] of asked) {
    const at = `${path}.requests[${name}]`;
    yield* validateName(name, at);
    yield* validateAmount(name, amount, at);
    yield* validateAgainstLimit(name, amount, limited.get(name), path);
    yield* validateHugePages(name, amount, at, context);
  }
  const all = [...limited.keys(), ...asked.keys()];
  const isComputing = all.some((name) => name === 'cpu' || name === 'memory');
  if (!isComputing && all.some(names.isHugePages)) {
    yield forbiddenField(path, 'HugePages require cpu or memory');
  }
  yield* validateClaims(claims, `${path}.claims`, context.claimNames);
}

function* validateAmount(name: string, amount: Quantity, path: string): FieldErrors {
  yield* validateNotNegative(amount, path);
  if (names.isCounted(name) && !isWhole(amount)) {
    yield invalidField(path, formatQuantity(amount), 'must be an integer');
  }
}

function* validateAgainstLimit(
  name: string,
  amount: Quantity,
  limit: Quantity | undefined,
  path: string,
): FieldErrors {
  if (!limit) {
    if (names.isOvercommitted(name)) return;
    yield required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(amount, limit);
  const at = `${path}.requests`;
  const shown = formatQuantity(limit);
  if (order !== 0 && !names.isOvercommitted(name)) {
    yield invalidField(at, formatQuantity(amount), `must be equal to ${name} limit of ${shown}`);
  } else if (order > 0) {
    const detail = `must be less than or equal to ${name} limit of ${shown}`;
    yield invalidField(at, formatQuantity(amount), detail);
  }
}

function* validateHugePages(
  name: string,
  amount: Quantity,
  path: string,
  { options }: ResourceContext,
): FieldErrors {
  if (options.allowsIndivisibleHugePages) return;
  const fault = hugePagesFault(name, amount);
  if (fault !== undefined) yield invalidField(path, formatQuantity(amount), fault);
}

function hugePagesFault(name: string, amount: Quantity): string | undefined {
  if (!names.isHugePages(name) || isMultipleOfPage(name, amount)) return undefined;
  return `${formatQuantity(amount)} is not positive integer multiple of ${name}`;
}

function isMultipleOfPage(name: string, amount: Quantity): boolean {
  try {
    const page = parseQuantity(names.hugePageSizeOf(name));
    if (signOfQuantity(page) <= 0 || !isWhole(page)) return false;
    return quantityValue(amount) % quantityValue(page) === 0n;
  } catch {
    return false; // no size can be read from the name
  }
}

function* validateResourceName(name: string, path: string): FieldErrors {
  const sentences = checkLabelKey(name);
  yield* invalidFor(path, name, sentences);
  if (sentences.length > 0 || name.includes('/') || names.isStandard(name)) return;
  yield invalidField(path, name, 'must be a standard resource type or fully qualified');
}

function* validateContainerResourceName(name: string, path: string): FieldErrors {
  yield* validateResourceName(name, path);
  if (!name.includes('/')) {
    if (!names.isForContainers(name)) {
      yield invalidField(path, name, 'must be a standard resource for containers');
    }
  } else if (!names.isNative(name) && !names.isExtended(name)) {
    yield invalidField(path, name, "doesn't follow extended resource name standard");
  }
}

function* validatePodResourceName(name: string, path: string): FieldErrors {
  const faults = [...validateResourceName(name, path)];
  yield* faults;
  if (faults.length > 0 || names.isPodLevel(name)) return;
  yield unsupported(path, name, ['cpu', 'hugepages-', 'memory']);
}

/** Each claim of a container must be one of the pod's, and each request in it may be named only once. */
function* validateClaims(
  claims: Value,
  path: string,
  claimNames: ReadonlySet<string>,
): FieldErrors {
  const seen = new Set<string>();
  for (const [index, claim] of readObjects(claims).entries()) {
    const at = `${path}[${index}]`;
    const name = readText(claim['name']);
    if (name === '') {
      yield required(at);
      continue;
    }
    yield* validateClaimIsNew(name, readText(claim['request']), at, seen);
    if (!claimNames.has(name)) yield notFoundField(at, name, describeClaims(claimNames));
  }
}

function* validateClaimIsNew(
  name: string,
  request: string,
  path: string,
  seen: Set<string>,
): FieldErrors {
  if (seen.has(name)) {
    yield duplicate(path, name);
    return;
  }
  if (request !== '') yield* validateDnsLabel(request, `${path}.request`);
  const key = request === '' ? name : `${name}/${request}`;
  if (seen.has(key)) yield duplicate(path, key);
  else if (request === '') {
    // The whole claim includes each of its requests.
    for (const other of seen) if (other.startsWith(`${name}/`)) yield duplicate(path, name);
  }
  seen.add(key);
}

function describeClaims(claimNames: ReadonlySet<string>): string {
  const known = [...claimNames].sort().join(', ');
  const where = 'must be one of the names in pod.spec.resourceClaims';
  return known === '' ? `${where} which is empty` : `${where}: ${known}`;
}
