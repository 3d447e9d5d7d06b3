/**
 * Checks whether a request matches one resource rule, a namespace selector or an object selector of a webhook
 * or policy.
 */
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { matchesLabels, selectorFromObject } from '../../../api/values/label-selector.ts';
import type { LabelSelector, Labels } from '../../../api/values/label-selector.ts';
import { readText, readTexts } from '../../../api/validation/json-reading.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { structAt } from '../../objects/field-path.ts';
import { labelsOf } from '../../objects/object-labels.ts';
import { notFound } from '../../objects/status.ts';
import type { DynamicAttributes, GroupVersionResource } from './dynamic-attributes.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

export function matchesRule(
  rule: JsonObject,
  attributes: DynamicAttributes,
  resource: GroupVersionResource = attributes.resource,
): boolean {
  return (
    matchesScope(readText(rule['scope']), attributes, resource) &&
    includes(rule['operations'], attributes.operation) &&
    includes(rule['apiGroups'], resource.group) &&
    includes(rule['apiVersions'], resource.version) &&
    isNamed(readTexts(rule['resourceNames']), attributes.name) &&
    readTexts(rule['resources']).some((text) => {
      const [name = '', part = ''] = splitResource(text);
      const isPart = part === '*' || part === attributes.subresource;
      return isPart && (name === '*' || name === resource.resource);
    })
  );
}

/** Webhook rules have no resourceNames. */
function isNamed(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

function splitResource(text: string): readonly string[] {
  const at = text.indexOf('/');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function includes(list: Parameters<typeof readTexts>[0], wanted: string): boolean {
  return readTexts(list).some((one) => one === '*' || one === wanted);
}

/** A Namespace is cluster-scoped, although the namespace of its request is its own name. */
function matchesScope(
  scope: string,
  { namespace }: DynamicAttributes,
  { group, resource }: GroupVersionResource,
): boolean {
  if (scope === '' || scope === '*') return true;
  const isCluster = namespace === '' || (group === '' && resource === 'namespaces');
  return scope === (isCluster ? 'Cluster' : 'Namespaced');
}

/**
 * Cluster-scoped objects match any namespace selector. Throws a StatusError if the namespace does not exist.
 */
export function matchesNamespace(
  selector: LabelSelector,
  attributes: DynamicAttributes,
  store: ObjectStore,
): boolean {
  const { namespace, resource, subresource, operation, object } = attributes;
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  if ((namespace === '' && !isNamespace) || selector.length === 0) return true;
  if (isNamespace && subresource === '' && object && operation !== 'DELETE') {
    return matchesLabels(selector, labelsOf(object));
  }
  const stored = store.get(`/core/namespaces/${namespace}`)?.value;
  if (!stored) throw notFound(NAMESPACES, namespace);
  return matchesLabels(selector, labelsOf(stored));
}

export function matchesObject(
  selector: LabelSelector,
  { object, oldObject }: DynamicAttributes,
): boolean {
  if (selector.length === 0) return true;
  return [object, oldObject].some((one) => one !== null && matchesLabels(selector, labels(one)));
}

function labels(object: JsonObject): Labels {
  return labelsOf(object);
}

/** An absent selector selects everything. Null: it is invalid, which validation excludes. */
export function selectorAt(object: JsonObject, path: string): LabelSelector | null {
  try {
    return selectorFromObject(structAt(object, path));
  } catch (error) {
    if (error instanceof PodkeepError) return null;
    throw error;
  }
}
