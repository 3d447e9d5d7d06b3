/** Warnings about deprecated node labels, and about selectors that select nothing. */
import { checkLabelValue } from '../../../../api/validation-names.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import {
  isGiven,
  readEntries,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../../../api/validation/json-reading.ts';

type Warnings = Generator<string, void>;

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const OLD_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    'failure-domain.beta.kubernetes.io/region',
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    'failure-domain.beta.kubernetes.io/zone',
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    'beta.kubernetes.io/instance-type',
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.kubernetes.io/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

export function* warnAboutScheduling(spec: JsonObject): Warnings {
  for (const [key] of readEntries(spec['nodeSelector'])) {
    const advice = OLD_LABELS.get(key);
    if (advice !== undefined) yield `spec.nodeSelector[${key}]: ${advice}`;
  }
  yield* warnAboutNodeAffinity(spec);
  for (const [index, constraint] of readObjects(spec['topologySpreadConstraints']).entries()) {
    const path = `spec.topologySpreadConstraints[${index}]`;
    const key = readText(constraint['topologyKey']);
    const advice = OLD_LABELS.get(key);
    if (advice !== undefined) yield `${path}.topologyKey: ${key} is ${advice}`;
    yield* warnAboutNoSelector(constraint, path);
  }
}

export function* warnAboutPodAffinity(spec: JsonObject): Warnings {
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const affinity = readStruct(readStruct(spec['affinity'])[name]);
    const path = `spec.affinity.${name}`;
    for (const [index, term] of readObjects(affinity[REQUIRED]).entries()) {
      yield* warnAboutNoSelector(term, `${path}.${REQUIRED}[${index}]`);
    }
    for (const [index, weighted] of readObjects(affinity[PREFERRED]).entries()) {
      const term = readStruct(weighted['podAffinityTerm']);
      yield* warnAboutNoSelector(term, `${path}.${PREFERRED}[${index}].podAffinityTerm`);
    }
  }
}

function* warnAboutNodeAffinity(spec: JsonObject): Warnings {
  const affinity = readStruct(readStruct(spec['affinity'])['nodeAffinity']);
  const path = 'spec.affinity.nodeAffinity';
  const terms = readObjects(readStruct(affinity[REQUIRED])['nodeSelectorTerms']);
  for (const [index, term] of terms.entries()) {
    yield* warnAboutTerm(term, `${path}.${REQUIRED}.nodeSelectorTerms[${index}]`, false);
  }
  for (const [index, wish] of readObjects(affinity[PREFERRED]).entries()) {
    const term = readStruct(wish['preference']);
    yield* warnAboutTerm(term, `${path}.${PREFERRED}[${index}].preference`, true);
  }
}

function* warnAboutTerm(term: JsonObject, path: string, asksForValues: boolean): Warnings {
  for (const [index, expression] of readObjects(term['matchExpressions']).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const key = readText(expression['key']);
    const advice = OLD_LABELS.get(key);
    if (advice !== undefined) yield `${at}.key: ${key} is ${advice}`;
    if (!asksForValues) continue;
    for (const [fieldPath, value] of readTexts(expression['values']).entries()) {
      for (const sentence of checkLabelValue(value)) {
        yield `${at}.values[${fieldPath}]: ${value} is invalid, ${sentence}`;
      }
    }
  }
}

function* warnAboutNoSelector(holder: JsonObject, path: string): Warnings {
  if (isGiven(holder['labelSelector'])) return;
  yield `${path}.labelSelector: a null labelSelector results in matching no pod`;
}
