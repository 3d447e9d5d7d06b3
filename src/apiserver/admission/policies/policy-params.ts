/**
 * Finds the parameters of a policy for one binding and one request. A binding names one object or selects
 * several; the policy is evaluated for each.
 *
 * Parameters of a namespaced kind are in the namespace of the request, unless the binding names another.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { PodkeepError } from '../../../lib/errors.ts';
import { matchesLabels, selectorFromObject } from '../../../api/values/label-selector.ts';
import type { LabelSelector } from '../../../api/values/label-selector.ts';
import { readObject, readText } from '../../../api/validation/json-reading.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { labelsOf } from '../../objects/object-labels.ts';
import { fromStored } from '../../objects/stored-form.ts';
import type { Catalog } from '../../registry/catalog.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import { findKind } from './kind-finder.ts';
import { ConfigurationError } from './policy-errors.ts';

/** A binding that selects more is refused, because each parameter is evaluated for every request. */
const PARAMS_MAX = 1000;

export interface ParamDeps {
  readonly store: ObjectStore;
  readonly catalog: Catalog;
}

/** Null: the policy has no parameters. Throws a ConfigurationError. */
export function findParamKind(
  paramKind: JsonObject | null,
  { catalog }: ParamDeps,
): KindDefinition | null {
  if (!paramKind) return null;
  const [apiVersion, kind] = [readText(paramKind['apiVersion']), readText(paramKind['kind'])];
  const found = findKind(catalog, apiVersion, kind);
  if (found) return found;
  const named = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${named}'`);
}

/** A null in the list: the policy is evaluated without parameters. Throws a ConfigurationError. */
export function collectParams(
  kind: KindDefinition | null,
  ref: JsonObject | null,
  namespace: string,
  deps: ParamDeps,
): readonly (JsonObject | null)[] {
  if (!kind || !ref) return [null];
  const own = readText(ref['namespace']);
  if (kind.namespaced && own === '' && namespace === '') {
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  if (!kind.namespaced && own !== '') {
    throw new ConfigurationError(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  const params = readParams(kind, ref, kind.namespaced ? own || namespace : '', deps.store);
  if (params.length === 0 && ref['parameterNotFoundAction'] === 'Deny') {
    throw new ConfigurationError(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  }
  return params;
}

function readParams(
  kind: KindDefinition,
  ref: JsonObject,
  namespace: string,
  store: ObjectStore,
): readonly JsonObject[] {
  const name = readText(ref['name']);
  if (name !== '') {
    const found = store.get(keyOf({ definition: kind, namespace, name }))?.value;
    return found ? [served(kind, found)] : [];
  }
  const selector = readSelector(ref);
  const found: JsonObject[] = [];
  for (const { value } of store.list(prefixOf(kind, namespace)).objects) {
    if (!matchesLabels(selector, labelsOf(value))) continue;
    found.push(served(kind, value));
    if (found.length > PARAMS_MAX) {
      throw new ConfigurationError(`paramRef.selector selects more than ${PARAMS_MAX} params`);
    }
  }
  return found;
}

function readSelector(ref: JsonObject): LabelSelector {
  const selector = readObject(ref['selector']);
  if (!selector) throw new ConfigurationError('one of name or selector must be provided');
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (error instanceof PodkeepError) throw new ConfigurationError(error.message);
    throw error;
  }
}

/** Cache: unchanged parameters stay the very same object, so that expressions convert them only once. */
const shown = new WeakMap<JsonObject, Map<KindDefinition, JsonObject>>();

function served(kind: KindDefinition, stored: JsonObject): JsonObject {
  const known = shown.get(stored) ?? new Map<KindDefinition, JsonObject>();
  shown.set(stored, known);
  const found = known.get(kind);
  if (found) return found;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const object = { ...fromStored(kind, stored), apiVersion, kind: kind.kind };
  known.set(kind, object);
  return object;
}
