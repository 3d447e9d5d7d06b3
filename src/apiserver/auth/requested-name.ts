/**
 * The name of a new object as its author gave it. Here admission runs after the server has generated a name
 * from `generateName`; kube-apiserver generates it later, and its refusals do not have it yet.
 */
import type { AdmissionRequest } from '../registry/admission.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';

const SUFFIX_LENGTH = 5;
const BASE_LENGTH_MAX = 58;

/** Empty: the server generates it. */
export function requestedNameOf({ verb, object }: AdmissionRequest): string {
  const name = nameOf(object);
  const base = textOf(metadataOf(object)['generateName']).slice(0, BASE_LENGTH_MAX);
  const isMadeUp =
    verb === 'create' &&
    base !== '' &&
    name.startsWith(base) &&
    name.length === base.length + SUFFIX_LENGTH;
  return isMadeUp ? '' : name;
}
