/** Determines whether an object is in the scopes of a ResourceQuota, which then counts it. */
import { matchesLabels, type LabelOperator } from '../../api/values/label-selector.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { objectsAt, textAt, valueAt } from '../objects/field-path.ts';
import { qosClassOf } from '../kinds/pod/qos.ts';
import { isGiven, readText, readTexts } from '../../api/validation/json-reading.ts';
import { isPod } from '../registry/admission.ts';
import { hasDeadline } from './resource-quota-usage.ts';

interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);
const AFFINITIES = ['podAffinity', 'podAntiAffinity'];

/** A quota counts only objects that are in all of its scopes. */
export function isInScopes(
  quota: JsonObject,
  definition: KindDefinition,
  object: JsonObject,
): boolean {
  return scopesOf(quota).every((scope) => {
    if (isPod(definition)) return isPodIn(scope, object);
    return isClaim(definition) && isClaimIn(scope, object);
  });
}

function scopesOf(quota: JsonObject): readonly Scope[] {
  const named = readTexts(valueAt(quota, 'spec.scopes')).map((name) => ({
    name,
    operator: 'Exists',
    values: [],
  }));
  const selected = objectsAt(quota, 'spec.scopeSelector.matchExpressions').map((expression) => ({
    name: readText(expression['scopeName']),
    operator: readText(expression['operator']),
    values: readTexts(expression['values']),
  }));
  return [...named, ...selected];
}

function isPodIn(scope: Scope, pod: JsonObject): boolean {
  switch (scope.name) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort';
    case 'PriorityClass':
      return selects(scope, textAt(pod, 'spec.priorityClassName'));
    case 'CrossNamespacePodAffinity':
      return looksBeyond(pod);
    default:
      return false;
  }
}

function isClaim({ group, kind }: KindDefinition): boolean {
  return group === '' && kind === 'PersistentVolumeClaim';
}

/** A claim that changes from one VolumeAttributesClass to another is in both. */
function isClaimIn(scope: Scope, claim: JsonObject): boolean {
  if (scope.name !== 'VolumeAttributesClass') return false;
  const names = [
    'spec.volumeAttributesClassName',
    'status.currentVolumeAttributesClassName',
    'status.modifyVolumeStatus.targetVolumeAttributesClassName',
  ].flatMap((path) => textAt(claim, path) || []);
  return (names.length === 0 ? [''] : names).some((name) => selects(scope, name));
}

/** `name`: empty: the object has no such class. */
function selects({ name: key, operator: word, values }: Scope, name: string): boolean {
  const operator = OPERATORS.get(word);
  if (!operator) return false;
  return matchesLabels([{ key, operator, values }], name === '' ? {} : { [key]: name });
}

/** Whether the pod has affinity or anti-affinity to pods of other namespaces. */
function looksBeyond(pod: JsonObject): boolean {
  const terms = AFFINITIES.flatMap((kind) => {
    const path = `spec.affinity.${kind}`;
    return [
      ...objectsAt(pod, `${path}.requiredDuringSchedulingIgnoredDuringExecution`),
      ...objectsAt(pod, `${path}.preferredDuringSchedulingIgnoredDuringExecution`).flatMap(
        (weighted) => {
          const term = valueAt(weighted, 'podAffinityTerm');
          return isGiven(term) ? objectsAt({ list: [term] }, 'list') : [];
        },
      ),
    ];
  });
  return terms.some(
    (term) => readTexts(term['namespaces']).length > 0 || isGiven(term['namespaceSelector']),
  );
}
