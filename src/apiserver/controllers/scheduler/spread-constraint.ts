/** Parses a topology spread constraint, and determines which nodes and pods it counts. */
import {
  matchesLabels,
  type Labels,
  type LabelRequirement,
  type LabelSelector,
} from '../../../api/values/label-selector.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { readTermSelector } from './affinity-term.ts';
import type { NodeView } from './cluster.ts';
import type { NodeRequirement } from './node-affinity.ts';
import type { PodView } from './pod-view.ts';
import { toleratesAll } from './taints.ts';

export interface SpreadConstraint {
  readonly key: string;
  /** Null: it selects no pod. */
  readonly selector: LabelSelector | null;
  readonly skewMax: number;
  readonly domainsMin: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

const HARD_EFFECTS = ['NoSchedule', 'NoExecute'];

type WhenUnsatisfiable = 'DoNotSchedule' | 'ScheduleAnyway';

/** Cache: queueing hints are evaluated for each change of the cluster, so selectors are parsed once. */
const known = new WeakMap<
  JsonObject,
  Readonly<Record<WhenUnsatisfiable, readonly SpreadConstraint[]>>
>();

export function readSpread(
  { object, labels }: PodView,
  whenUnsatisfiable: WhenUnsatisfiable,
): readonly SpreadConstraint[] {
  let spread = known.get(object);
  if (!spread) {
    const constraints = objectsAt(object, 'spec.topologySpreadConstraints');
    const read = (when: WhenUnsatisfiable): readonly SpreadConstraint[] =>
      constraints
        .filter((constraint) => constraint['whenUnsatisfiable'] === when)
        .map((constraint) => readConstraint(constraint, labels));
    spread = { DoNotSchedule: read('DoNotSchedule'), ScheduleAnyway: read('ScheduleAnyway') };
    known.set(object, spread);
  }
  return spread[whenUnsatisfiable];
}

function readConstraint(constraint: JsonObject, labels: Labels): SpreadConstraint {
  return {
    key: readText(constraint['topologyKey']),
    selector: readSelector(constraint, labels),
    skewMax: readNumber(constraint['maxSkew']),
    domainsMin: readNumber(constraint['minDomains']) || 1,
    honorsAffinity: constraint['nodeAffinityPolicy'] !== 'Ignore',
    honorsTaints: constraint['nodeTaintsPolicy'] === 'Honor',
  };
}

/** matchLabelKeys adds the pod's own values of these labels. A label that the pod lacks is skipped. */
function readSelector(constraint: JsonObject, labels: Labels): LabelSelector | null {
  const selector = readTermSelector(constraint['labelSelector']);
  const same = readTexts(constraint['matchLabelKeys']).flatMap((key): LabelRequirement[] => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator: '=', values: [value] }];
  });
  return selector === null ? null : [...same, ...selector];
}

export function spreadSelects({ selector }: SpreadConstraint, labels: Labels): boolean {
  return selector !== null && matchesLabels(selector, labels);
}

/** As in kube-scheduler, an empty selector counts no existing pods. */
export function countSpreadPods(
  { selector }: SpreadConstraint,
  { load }: NodeView,
  namespace: string,
): number {
  if (selector === null || selector.length === 0) return 0;
  let count = 0;
  for (const other of load.pods.values()) {
    if (other.isBeingDeleted || other.namespace !== namespace) continue;
    if (matchesLabels(selector, other.labels)) count += 1;
  }
  return count;
}

/** Whether the constraint counts the node: it may exclude nodes on which the pod could not run. */
export function spreadCountsNode(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { tolerations }: PodView,
  requirement: NodeRequirement,
  node: NodeView,
): boolean {
  if (honorsAffinity && !requirement(node)) return false;
  return !honorsTaints || toleratesAll(tolerations, node.taints, HARD_EFFECTS);
}

export function hasSpreadLabels(constraints: readonly SpreadConstraint[], labels: Labels): boolean {
  return constraints.every(({ key }) => Object.hasOwn(labels, key));
}
