/**
 * The type of a Pod Security check (a pure function from a pod to its violation), and helpers for all checks.
 *
 * Reasons and details are exactly those of Kubernetes' admission plugin: people search for them, and tools
 * match them.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import { readText, type Value } from '../../../api/validation/json-reading.ts';

/** A pod, or a pod template. */
export interface CheckedPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

export interface Violation {
  /** Short: `host namespaces`. */
  readonly reason: string;
  /** Which containers, volumes or values; empty: no detail. */
  readonly detail: string;
}

/** Undefined: the pod is allowed. */
export type Check = (pod: CheckedPod) => Violation | undefined;

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function containersOf({ spec }: CheckedPod): readonly JsonObject[] {
  return CONTAINER_LISTS.flatMap((list) => objectsAt(spec, list));
}

/** The names of the containers for which the predicate is true. */
export function containersWith(
  pod: CheckedPod,
  test: (container: JsonObject) => boolean,
): readonly string[] {
  return containersOf(pod)
    .filter(test)
    .map(({ name }) => readText(name));
}

/** A field of a container's `securityContext`; the path begins below it. */
export function securityOf(container: JsonObject, path: string): Value {
  return valueAt(container, `securityContext.${path}`);
}

/** `container "a"`, `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoteAll(names)}`;
}

/**
 * Names the pod, some containers, or both, for a message about which of them sets a field. Empty: neither
 * does.
 */
export function settersOf(isPod: boolean, containers: readonly string[]): readonly string[] {
  return [
    ...(isPod ? ['pod'] : []),
    ...(containers.length > 0 ? [namedContainers(containers)] : []),
  ];
}

/** Quoted but not escaped, as in Kubernetes. */
export function quoteAll(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `"${texts.join('", "')}"`;
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** Without duplicates, in byte order. */
export function sortedSet(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

export function isWindows({ spec }: CheckedPod): boolean {
  return valueAt(spec, 'os.name') === 'windows';
}

/** The pod has its own user namespace: its root is not the root of the node. */
export function hasPodUsers({ spec }: CheckedPod): boolean {
  return spec['hostUsers'] === false;
}
