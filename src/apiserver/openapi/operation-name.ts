/**
 * Builds the names of operations. Generated clients derive their function names from them
 * (`readNamespacedPod` from `readCoreV1NamespacedPod`), so the names are part of the API.
 */
import type { GroupVersion } from './spec.ts';

/** `read` and `NamespacedPod` in v1 give `readCoreV1NamespacedPod`. */
export function operationId(verb: string, version: GroupVersion, rest: string): string {
  return `${verb}${capitalized(groupWord(version))}${capitalized(version.version)}${rest}`;
}

/** `core_v1`, `rbacAuthorization_v1` */
export function tagOf(version: GroupVersion): string {
  return `${toWord(groupWord(version))}_${toWord(version.version)}`;
}

/** The name of a group alone: `core`, `rbacAuthorization`. */
export function groupTag(group: string): string {
  return toWord(groupWord({ group, version: '' }));
}

export function capitalized(text: string): string {
  const word = toWord(text);
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function groupWord({ group }: GroupVersion): string {
  return group === '' ? 'core' : group.replace(/\.k8s\.io$/, '');
}

/** Omits characters that a name cannot have, and capitalizes the next letter. */
function toWord(text: string): string {
  return text
    .replace(/^[^\p{L}_]+/u, '')
    .replaceAll(/[^\p{L}_\d]+(.)?/gu, (_, next: string | undefined) => (next ?? '').toUpperCase());
}
