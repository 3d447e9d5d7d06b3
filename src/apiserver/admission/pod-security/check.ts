/**
 * One rule of the Pod Security Standards: a pure function from a pod to what is forbidden about it.
 *
 * Reasons and details are those of Kubernetes' own admission plugin, letter by letter: people search for
 * them, and tools match them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, valueAt } from '../../kinds/field-path.ts';
import { readText, type Value } from '../../kinds/validation/json-reading.ts';

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

export interface Violation {
  /** Short: `host namespaces`. */
  readonly reason: string;
  /** Which containers, volumes or values; empty: there is no more to say. */
  readonly detail: string;
}

/** Undefined: the pod is allowed. */
export type Check = (pod: CheckedPod) => Violation | undefined;

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function containersOf({ spec }: CheckedPod): readonly JsonObject[] {
  return CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list));
}

/** The names of the containers for which the test holds. */
export function containersWith(
  pod: CheckedPod,
  test: (container: JsonObject) => boolean,
): readonly string[] {
  return containersOf(pod)
    .filter(test)
    .map(({ name }) => readText(name));
}

/** What a container says about its security; the path begins below `securityContext`. */
export function securityOf(container: JsonObject, path: string): Value {
  return valueAt(container, `securityContext.${path}`);
}

/** `container "a"`, `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoteAll(names)}`;
}

/** Who sets something: the pod, some containers, or both; none: empty. */
export function settersOf(isPod: boolean, containers: readonly string[]): readonly string[] {
  return [
    ...(isPod ? ['pod'] : []),
    ...(containers.length > 0 ? [namedContainers(containers)] : []),
  ];
}

/** They are not escaped, as in Kubernetes. */
export function quoteAll(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `"${texts.join('", "')}"`;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** Each once, in the order of their bytes. */
export function sortedSet(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

export function isWindows({ spec }: CheckedPod): boolean {
  return valueAt(spec, 'os.name') === 'windows';
}

/** The pod has a user namespace of its own: its root is not the root of the node. */
export function hasOwnUsers({ spec }: CheckedPod): boolean {
  return spec['hostUsers'] === false;
}
