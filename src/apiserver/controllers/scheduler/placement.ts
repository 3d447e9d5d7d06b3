/**
 * Finds a node for a pod, or explains why there is none and which pods to preempt.
 *
 *     claims of the pod ──> the nominated node, if it has one ──> filters ──> scores ──> the best node
 *                                                                   └ none fits ──> preemption
 *
 * With more than 100 nodes the search stops when enough fitting nodes are found, and starts for the next pod
 * where it stopped for this one.
 */
import type { LabelSelector } from '../../../api/values/label-selector.ts';
import { objectsAt, textAt } from '../../objects/field-path.ts';
import type { NodeView } from './cluster.ts';
import { startFilterCycle, type CycleDeps, type FilterCycle } from './filters/filter-cycle.ts';
import { fitMessage, NO_CLAIMS, NO_NODES, obstacleMessage } from './fit-message.ts';
import { namedNodes } from './node-affinity.ts';
import type { PodView } from './pod-view.ts';
import type { DisruptionBudget } from './preemption/disruption-budgets.ts';
import { planPreemption } from './preemption/preemption-plan.ts';
import type { Candidate } from './preemption/victims.ts';
import type { PluginName, Refusal } from './refusal.ts';
import { pickBest, scoreNodes } from './scores/score-plugins.ts';
import { findPodClaims, type PodClaims } from './storage/pod-claims.ts';

export type Placement =
  | { readonly type: 'fits'; readonly node: NodeView; readonly claims: PodClaims }
  | {
      readonly type: 'unschedulable';
      readonly message: string;
      /** The plugins that refused the pod. Empty: there are no nodes. */
      readonly plugins: ReadonlySet<PluginName>;
      /** Null: no pod is preempted for it. */
      readonly preemption: Candidate | null;
      readonly clearsNomination: boolean;
    };

export interface PlacementDeps extends CycleDeps {
  readonly budgets: () => readonly DisruptionBudget[];
  readonly defaultSelector: (pod: PodView) => LabelSelector;
  /** A random number, at least 0 and below 1. */
  readonly chance: () => number;
  /** The index of the node with which the search begins; `placePod` advances it. */
  readonly start: { index: number };
}

interface Found {
  readonly fitting: readonly NodeView[];
  readonly refusals: ReadonlyMap<string, Refusal>;
}

const NODES_MIN = 100;
const PERCENT_MIN = 5;
const PERCENT_MAX = 50;
const NODES_PER_PERCENT = 125;
const CONFLICTING_NAMES = 'pod affinity terms conflict';
const NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
const DEVICES =
  "pod has resource claims (spec.resourceClaims), which podkeep's scheduler does not allocate";
/** kube-scheduler adds this if a pod is refused before any node is tried. */
const NOT_FOUND = 'not found';

export function placePod(pod: PodView, deps: PlacementDeps): Placement {
  const nodes = deps.cluster.nodes();
  if (nodes.length === 0) return refuseAll(NO_NODES, null);
  const names = namedNodes(pod.object);
  if (names?.size === 0) return obstructed(nodes.length, CONFLICTING_NAMES, 'NodeAffinity');
  const result = findPodClaims(pod, deps.storage);
  if (result.type === 'refused') {
    return obstructed(nodes.length, result.refusal.reasons.join(', '), result.refusal.plugin);
  }
  if (objectsAt(pod.object, 'spec.resourceClaims').length > 0) {
    return refuseAll(obstacleMessage(nodes.length, DEVICES), 'DynamicResources');
  }
  const { claims } = result;
  const cycle = startFilterCycle(pod, claims, deps);
  const found = findNodes(pod, cycle, names, deps);
  const node = chooseNode(pod, found.fitting, deps);
  if (node) return { type: 'fits', node, claims };
  return explain(pod, found.refusals, names, cycle, deps);
}

/** The best of the fitting nodes. Undefined: there is none. */
function chooseNode(
  pod: PodView,
  fitting: readonly NodeView[],
  deps: PlacementDeps,
): NodeView | undefined {
  const [only, ...others] = fitting;
  if (others.length === 0) return only;
  const { cluster, chance } = deps;
  const defaultSelector = (): LabelSelector => deps.defaultSelector(pod);
  return pickBest(scoreNodes(pod, fitting, { cluster, defaultSelector }), chance());
}

/** The nominated node alone if it fits; otherwise as many fitting nodes as `nodesToFind` says. */
export function findNodes(
  pod: PodView,
  cycle: FilterCycle,
  names: ReadonlySet<string> | null,
  { cluster, start }: Pick<PlacementDeps, 'cluster' | 'start'>,
): Found {
  const nominated = cluster.node(textAt(pod.object, 'status.nominatedNodeName'));
  if (nominated && !cycle.check(nominated)) return { fitting: [nominated], refusals: new Map() };
  const all = cluster.nodes();
  const nodes = names ? [...names].flatMap((name) => cluster.node(name) ?? []) : all;
  const wanted = nodesToFind(nodes.length);
  const fitting: NodeView[] = [];
  const refusals = new Map<string, Refusal>();
  for (let step = 0; step < nodes.length && fitting.length < wanted; step++) {
    const node = nodes[(start.index + step) % nodes.length];
    const refusal = node && cycle.check(node);
    if (node && refusal) refusals.set(node.name, refusal);
    else if (node) fitting.push(node);
  }
  start.index = (start.index + fitting.length + refusals.size) % all.length;
  return { fitting, refusals };
}

/** All nodes of up to 100; of more, a share that falls from 50 % to 5 %. */
export function nodesToFind(nodes: number): number {
  if (nodes < NODES_MIN) return nodes;
  const percent = Math.max(PERCENT_MAX - Math.floor(nodes / NODES_PER_PERCENT), PERCENT_MIN);
  return Math.max(Math.floor((nodes * percent) / 100), NODES_MIN);
}

function explain(
  pod: PodView,
  refusals: ReadonlyMap<string, Refusal>,
  names: ReadonlySet<string> | null,
  cycle: FilterCycle,
  deps: PlacementDeps,
): Placement {
  const { cluster } = deps;
  const all = [...refusals.values()];
  const plugins = new Set(all.map(({ plugin }) => plugin));
  if (names) plugins.add('NodeAffinity');
  const message = fitMessage(cluster.nodes().length, all, names ? NOT_NAMED : null);
  const { budgets } = deps;
  const plan = planPreemption(pod, refusals, { cluster, cycle, budgets, chance: deps.chance() });
  const refused = { type: 'unschedulable', plugins } as const;
  if (plan.type === 'preempt') {
    return { ...refused, message, preemption: plan.candidate, clearsNomination: false };
  }
  const { clearsNomination } = plan;
  const full = `${message} ${NO_CLAIMS}, ${plan.message}`;
  return { ...refused, message: full, preemption: null, clearsNomination };
}

/** kube-scheduler then has no node on which to preempt, and adds `not found`. */
function obstructed(nodes: number, obstacle: string, plugin: PluginName): Placement {
  const message = `${obstacleMessage(nodes, obstacle)} ${NOT_FOUND}`;
  return { ...refuseAll(message, plugin), clearsNomination: false };
}

function refuseAll(
  message: string,
  plugin: PluginName | null,
): Extract<Placement, { type: 'unschedulable' }> {
  const plugins: ReadonlySet<PluginName> = new Set(plugin === null ? [] : [plugin]);
  return { type: 'unschedulable', message, plugins, preemption: null, clearsNomination: true };
}
