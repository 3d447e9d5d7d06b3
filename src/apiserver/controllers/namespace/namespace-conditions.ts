/**
 * Computes the conditions of a terminating namespace, one for each possible problem. Reasons and messages are
 * those of Kubernetes' namespace controller.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { mapShared } from '../../../lib/share.ts';

export interface Emptying {
  /** Errors of deleting the content. */
  readonly failures: readonly string[];
  /** How many objects are left, by resource and group. */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many objects wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Versions of other API servers whose kinds are not known, and why; absent: none. */
  readonly undiscovered?: ReadonlyMap<string, string>;
}

interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions with this controller's five updated; the very same list if nothing changes. */
export function namespaceConditions(
  conditions: readonly JsonObject[],
  emptying: Emptying,
  now: string,
): readonly JsonObject[] {
  const wanted = wantedConditions(emptying);
  const known = new Set(conditions.map(({ type }) => type));
  const kept = mapShared(conditions, (old) => {
    const wantedCondition = wanted.find(({ type }) => type === old['type']);
    return wantedCondition && differs(old, wantedCondition)
      ? redated(old, wantedCondition, now)
      : old;
  });
  const added = wanted.filter(({ type }) => !known.has(type));
  return added.length === 0
    ? kept
    : [...kept, ...added.map((wantedCondition) => dated(wantedCondition, now))];
}

function wantedConditions({
  failures,
  remaining,
  finalizers,
  undiscovered = new Map(),
}: Emptying): readonly WantedCondition[] {
  const left = counted(remaining, (what, count) => `${what} has ${count} resource instances`);
  const waiting = counted(finalizers, (name, count) => `${name} in ${count} resource instances`);
  const failed = failures.toSorted().join(', ');
  return [
    undiscovered.size === 0
      ? ok(
          'NamespaceDeletionDiscoveryFailure',
          'ResourcesDiscovered',
          'All resources successfully discovered',
        )
      : trouble(
          'NamespaceDeletionDiscoveryFailure',
          'DiscoveryFailed',
          discoveryMessage(undiscovered),
        ),
    ok(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failures.length === 0
      ? ok(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : trouble(
          'NamespaceDeletionContentFailure',
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failed}`,
        ),
    left === ''
      ? ok('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : trouble(
          'NamespaceContentRemaining',
          'SomeResourcesRemain',
          `Some resources are remaining: ${left}`,
        ),
    waiting === ''
      ? ok(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : trouble(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${waiting}`,
        ),
  ];
}

export function discoveryMessage(undiscovered: ReadonlyMap<string, string>): string {
  const each = [...undiscovered].map(([version, why]) => `${version}: ${why}`).toSorted();
  return (
    `Discovery failed for some groups, ${each.length} failing: ` +
    `unable to retrieve the complete list of server APIs: ${each.join(', ')}`
  );
}

function counted(
  counts: ReadonlyMap<string, number>,
  say: (what: string, count: number) => string,
): string {
  return [...counts]
    .map(([what, count]) => say(what, count))
    .toSorted()
    .join(', ');
}

function ok(type: string, reason: string, message: string): WantedCondition {
  return { type, status: 'False', reason, message };
}

function trouble(type: string, reason: string, message: string): WantedCondition {
  return { type, status: 'True', reason, message };
}

function dated({ type, status, reason, message }: WantedCondition, time: string): JsonObject {
  return { type, status, lastTransitionTime: time, reason, message };
}

/** lastTransitionTime changes with the status, not with the message. */
function redated(old: JsonObject, wantedCondition: WantedCondition, now: string): JsonObject {
  const time = old['lastTransitionTime'];
  return {
    ...dated(wantedCondition, now),
    ...(old['status'] === wantedCondition.status &&
      time !== undefined && { lastTransitionTime: time }),
  };
}

function differs(old: JsonObject, { status, reason, message }: WantedCondition): boolean {
  return old['status'] !== status || old['reason'] !== reason || old['message'] !== message;
}
