/**
 * Finds the name of a new object as the client sent it. podkeep generates a name from `generateName` before
 * admission runs; kube-apiserver does so later, so its refusals do not contain a generated name.
 */
import type { AdmissionRequest } from '../registry/admission.ts';
import { metadataOf, nameOf, textOf } from '../objects/metadata.ts';

const SUFFIX_LENGTH = 5;
const BASE_LENGTH_MAX = 58;

/** Empty: the client sent none, and the server generates it. */
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
