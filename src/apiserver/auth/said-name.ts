/**
 * The name of a new object as its author said it. Admission comes after the server has made up a name
 * from `generateName`, but kube-apiserver makes it up later, and its refusals do not know it yet.
 */
import type { AdmissionRequest } from '../admission/admission.ts';
import { metadataOf, nameOf, textOf } from '../metadata.ts';

const SUFFIX_LENGTH = 5;
const BASE_LENGTH_MAX = 58;

/** Empty: they left it to the server. */
export function saidNameOf({ verb, object }: AdmissionRequest): string {
  const name = nameOf(object);
  const base = textOf(metadataOf(object)['generateName']).slice(0, BASE_LENGTH_MAX);
  const isMadeUp =
    verb === 'create' &&
    base !== '' &&
    name.startsWith(base) &&
    name.length === base.length + SUFFIX_LENGTH;
  return isMadeUp ? '' : name;
}
