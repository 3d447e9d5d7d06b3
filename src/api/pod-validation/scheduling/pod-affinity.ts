/** Validates pod affinity and anti-affinity. */
import { checkDns1123Label } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidFor, required, type FieldErrors } from '../../validation/field-errors.ts';
import { readObjects, readStruct, readText, readTexts } from '../../validation/json-reading.ts';
import { validateLabelSelector } from '../../validation/labels.ts';
import { validateQualifiedName } from '../../validation/names.ts';
import { validateLabelKeys } from './label-keys.ts';
import { validateWeight } from './node-affinity.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The rules are the same for affinity and anti-affinity. */
export function* validatePodAffinity(
  affinity: JsonObject,
  path: string,
  allowsBadValues: boolean,
): FieldErrors {
  for (const [index, term] of readObjects(affinity[REQUIRED]).entries()) {
    yield* validateTerm(term, `${path}.${REQUIRED}[${index}]`, allowsBadValues);
  }
  for (const [index, weighted] of readObjects(affinity[PREFERRED]).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    yield* validateWeight(weighted, `${at}.weight`);
    const term = readStruct(weighted['podAffinityTerm']);
    yield* validateTerm(term, `${at}.podAffinityTerm`, allowsBadValues);
  }
}

/** All terms: required and preferred, of affinity and anti-affinity. */
export function podAffinityTermsOf(spec: JsonObject): readonly JsonObject[] {
  const { podAffinity, podAntiAffinity } = readStruct(spec['affinity']);
  return [podAffinity, podAntiAffinity]
    .map(readStruct)
    .flatMap((affinity) => [
      ...readObjects(affinity[REQUIRED]),
      ...readObjects(affinity[PREFERRED]).map((weighted) =>
        readStruct(weighted['podAffinityTerm']),
      ),
    ]);
}

export function* validateTermSelectors(
  term: JsonObject,
  path: string,
  allowsBadValues: boolean,
): FieldErrors {
  for (const name of ['labelSelector', 'namespaceSelector']) {
    yield* validateLabelSelector(term[name], `${path}.${name}`, { allowsBadValues });
  }
}

function* validateTerm(term: JsonObject, path: string, allowsBadValues: boolean): FieldErrors {
  yield* validateTermSelectors(term, path, allowsBadValues);
  for (const namespace of readTexts(term['namespaces'])) {
    yield* invalidFor(`${path}.namespace`, namespace, checkDns1123Label(namespace));
  }
  yield* validateLabelKeys(term, path);
  const key = readText(term['topologyKey']);
  if (key === '') yield required(`${path}.topologyKey`, 'can not be empty');
  yield* validateQualifiedName(key, `${path}.topologyKey`);
}
