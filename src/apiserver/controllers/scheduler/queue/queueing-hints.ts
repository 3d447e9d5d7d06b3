/**
 * Queueing hints: decides whether a change could make an unschedulable pod schedulable. As in kube-scheduler
 * each plugin that refused the pod is asked, and one yes is enough. A pod that was refused because there were
 * no nodes waits for a node.
 */
import { jsonEqual } from '../../../../api/values/json-equal.ts';
import type { Labels } from '../../../../api/values/label-selector.ts';
import type { Json } from '../../../../lib/json.ts';
import { metadataOf, nameOf } from '../../../objects/metadata.ts';
import { termMatches, type NamespaceLabels } from '../affinity-term.ts';
import type { NodeView } from '../cluster.ts';
import { checkCapacity, wantsPortOf } from '../filters/node-capacity.ts';
import { readNodeRequirement } from '../node-affinity.ts';
import { NodeLoad } from '../node-load.ts';
import type { PodView } from '../pod-view.ts';
import type { PluginName } from '../refusal.ts';
import { hasSpreadLabels, readSpread, spreadSelects } from '../spread-constraint.ts';
import { namedClaims } from '../storage/pod-claims.ts';
import { wantsVolumeOf } from '../storage/volume-filters.ts';
import { toleratesAll, type Taint } from '../taints.ts';
import type { ClusterChange } from './cluster-change.ts';

type Change<Kind extends ClusterChange['kind']> = Extract<ClusterChange, { kind: Kind }>;

interface PluginHints {
  readonly node?: (pod: PodView, change: Change<'node'>) => boolean;
  readonly pod?: (pod: PodView, change: Change<'pod'>, labelsOf: NamespaceLabels) => boolean;
  readonly claim?: (pod: PodView, change: Change<'claim'>) => boolean;
  readonly storage?: true;
  readonly namespace?: true;
}

const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

const isNew = (_: PodView, { before, after }: Change<'node'>): boolean => !before && after !== null;

const HINTS: Readonly<Record<PluginName, PluginHints>> = {
  NodeUnschedulable: {
    node: (_, { before, after }) =>
      after !== null && !after.isUnschedulable && before?.isUnschedulable !== false,
  },
  TaintToleration: {
    node: ({ tolerations }, change) =>
      becomesTrue(change, ({ taints }) => toleratesAll(tolerations, taints, HARD_EFFECTS)),
  },
  NodeAffinity: {
    node: ({ object }, change) => becomesTrue(change, readNodeRequirement(object)),
  },
  NodePorts: {
    node: isNew,
    pod: (pod, { before, after }) => before !== null && !after && wantsPortOf(pod, before),
  },
  NodeResourcesFit: { node: offersMore, pod: freesCapacity },
  VolumeRestrictions: {
    node: isNew,
    pod: (pod, { before, after }) => before !== null && !after && wantsVolumeOf(pod, before),
    claim: usesClaim,
  },
  NodeVolumeLimits: {
    node: isNew,
    pod: (_, { before, after }) => before !== null && !after && namedClaims(before).length > 0,
    claim: usesClaim,
    storage: true,
  },
  VolumeBinding: {
    node: (_, { before, after }) => after !== null && (!before || differ(before, after, labelsOf)),
    claim: usesClaim,
    storage: true,
  },
  VolumeZone: {
    node: (_, { before, after }) => after !== null && (!before || differ(before, after, labelsOf)),
    claim: usesClaim,
    storage: true,
  },
  PodTopologySpread: { node: changesDomains, pod: changesSpread },
  InterPodAffinity: { node: changesAffinityLabels, pod: changesAffinity, namespace: true },
  DynamicResources: {},
};

export function couldHelp(
  pod: PodView,
  plugins: ReadonlySet<PluginName>,
  change: ClusterChange,
  labelsOfNamespace: NamespaceLabels,
): boolean {
  if (plugins.size === 0) return change.kind === 'node' && change.after !== null;
  for (const plugin of plugins) {
    if (helps(HINTS[plugin], pod, change, labelsOfNamespace)) return true;
  }
  return false;
}

function helps(
  hints: PluginHints,
  pod: PodView,
  change: ClusterChange,
  labelsOfNamespace: NamespaceLabels,
): boolean {
  switch (change.kind) {
    case 'node':
      return hints.node?.(pod, change) ?? false;
    case 'pod':
      return hints.pod?.(pod, change, labelsOfNamespace) ?? false;
    case 'claim':
      return hints.claim?.(pod, change) ?? false;
    case 'storage':
      return hints.storage ?? false;
    case 'namespace':
      return hints.namespace ?? false;
    case 'budget':
      // A budget that allows more disruptions makes other victims possible, whichever plugin refused the pod.
      return true;
  }
}

function becomesTrue(
  { before, after }: Change<'node'>,
  holds: (node: NodeView) => boolean,
): boolean {
  return after !== null && holds(after) && (!before || !holds(before));
}

/**
 * Whether the empty node would be large enough, and has more than before of a resource that the pod requests.
 */
function offersMore(pod: PodView, { before, after }: Change<'node'>): boolean {
  if (!after || checkCapacity(pod, { ...after, load: new NodeLoad() })) return false;
  if (!before) return true;
  return ['pods', ...pod.requests.keys()].some(
    (name) => (after.allocatable.get(name) ?? 0n) > (before.allocatable.get(name) ?? 0n),
  );
}

function freesCapacity({ requests }: PodView, { before, after }: Change<'pod'>): boolean {
  if (!before) return false;
  if (!after) return true;
  return [...requests].some(
    ([name, amount]) =>
      amount > 0n && (before.requests.get(name) ?? 0n) > (after.requests.get(name) ?? 0n),
  );
}

/** Any change of one of the pod's claims counts, whatever has changed. */
function usesClaim(pod: PodView, { after }: Change<'claim'>): boolean {
  if (!after || metadataOf(after)['namespace'] !== pod.namespace) return false;
  return namedClaims(pod).some(({ name }) => name === nameOf(after));
}

function changesDomains(pod: PodView, { before, after }: Change<'node'>): boolean {
  const constraints = readSpread(pod, 'DoNotSchedule');
  const counts = (node: NodeView | null): boolean =>
    node !== null && hasSpreadLabels(constraints, node.labels);
  if (counts(before) !== counts(after)) return true;
  if (!before || !after || !counts(after)) return false;
  return (
    constraints.some(({ key }) => before.labels[key] !== after.labels[key]) ||
    differ(before, after, plainTaints)
  );
}

function changesSpread(pod: PodView, { before, after }: Change<'pod'>): boolean {
  if ((after ?? before)?.namespace !== pod.namespace) return false;
  return readSpread(pod, 'DoNotSchedule').some((constraint) => {
    const [was, is] = [before, after].map(
      (other) => other !== null && !other.isBeingDeleted && spreadSelects(constraint, other.labels),
    );
    return was !== is;
  });
}

function changesAffinityLabels(pod: PodView, { before, after }: Change<'node'>): boolean {
  if (!after) return false;
  if (!before) return true;
  // The anti-affinity of existing pods may use any topology key.
  const keys = [...pod.affinity, ...pod.antiAffinity].map(({ topologyKey }) => topologyKey);
  if (keys.length === 0) return differ(before, after, labelsOf);
  return (
    keys.some((key) => before.labels[key] !== after.labels[key]) || differ(before, after, labelsOf)
  );
}

function changesAffinity(
  pod: PodView,
  { before, after }: Change<'pod'>,
  labelsOfNamespace: NamespaceLabels,
): boolean {
  const meets = (other: PodView | null, terms: PodView['affinity']): boolean =>
    other !== null && terms.some((term) => termMatches(term, other, labelsOfNamespace));
  // A pod that the affinity matches arrives, or one that the anti-affinity matches leaves.
  if (meets(after, pod.affinity) && !meets(before, pod.affinity)) return true;
  if (meets(before, pod.antiAffinity) && !meets(after, pod.antiAffinity)) return true;
  const repels = before?.antiAffinity.some((term) => termMatches(term, pod, labelsOfNamespace));
  return repels === true && !after;
}

function differ(before: NodeView, after: NodeView, part: (node: NodeView) => Json): boolean {
  return !jsonEqual(part(before), part(after));
}

function labelsOf({ labels }: NodeView): Labels {
  return labels;
}

function plainTaints({ taints }: NodeView): Json {
  return taints.map(({ key, value, effect }: Taint) => [key, value, effect]);
}
