/**
 * Finds for each node why a pending pod cannot run there, because the scheduler's message only counts nodes.
 *
 * It checks what depends on the single node: cordon, taints, selectors and resources. Obstacles that depend
 * on other pods or on volumes are only in the scheduler's message.
 */
import type { Pod } from '../../api/pod.ts';
import type { ResourceList } from '../../api/resources.ts';
import type { Labels } from '../../api/values/label-selector.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Taint, Toleration } from '../admission/admission-view.ts';
import { wantsNode } from '../admission/node-affinity.ts';
import { OtherPods } from '../admission/other-pods.ts';
import { findShortages, type Shortage } from '../admission/resource-fit.ts';
import { toleratesTaint } from '../admission/taints.ts';
import { objectAt, objectsAt, valueAt, wordAt } from './loose-json.ts';
import type { PodView } from './pod-view.ts';

const CORDON_TAINT = 'node.kubernetes.io/unschedulable';
const SCHEDULING_EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/** Phrases that follow the name of the node. Empty: no obstacle was found. */
export function findWhyNotOn({ input }: PodView, node: JsonObject): readonly string[] {
  const pod = input.pod ?? {};
  try {
    return [
      ...cordonOf(node),
      ...taintsOf(pod, node),
      ...selectionOf(pod, node),
      ...shortagesOf(pod, node, input.nodePods),
    ];
  } catch {
    // An amount or a selector is malformed: only the scheduler's message is left.
    return [];
  }
}

function cordonOf(node: JsonObject): readonly string[] {
  return valueAt(node, 'spec', 'unschedulable') === true ? ['is cordoned'] : [];
}

function taintsOf(pod: JsonObject, node: JsonObject): readonly string[] {
  const tolerations = objectsAt(pod, 'spec', 'tolerations');
  return objectsAt(node, 'spec', 'taints')
    .map((taint): Taint => {
      const effect = wordAt(taint, 'effect');
      return { key: wordAt(taint, 'key'), value: wordAt(taint, 'value'), effect };
    })
    .filter(({ key, effect }) => key !== CORDON_TAINT && SCHEDULING_EFFECTS.has(effect))
    .filter((taint) => !toleratesTaint(loosely<readonly Toleration[]>(tolerations), taint))
    .map(({ key, value, effect }) => {
      const pair = value === undefined || value === '' ? key : `${key}=${value}`;
      return `has the taint ${pair}:${effect}, which the pod does not tolerate`;
    });
}

function selectionOf(pod: JsonObject, node: JsonObject): readonly string[] {
  const labels = objectAt(node, 'metadata', 'labels') ?? {};
  const name = wordAt(node, 'metadata', 'name');
  if (wantsNode(loosely<Pod>(pod), { name, labels: loosely<Labels>(labels) })) return [];
  const wanted = Object.entries(objectAt(pod, 'spec', 'nodeSelector') ?? {});
  const missing = wanted.filter(([key, value]) => labels[key] !== value);
  if (missing.length === 0) return ["does not match the pod's required node affinity"];
  const pairs = missing
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : '?'}`)
    .join(', ');
  return [`lacks the labels of the pod's nodeSelector: ${pairs}`];
}

function shortagesOf(
  pod: JsonObject,
  node: JsonObject,
  pods: readonly JsonObject[],
): readonly string[] {
  const name = wordAt(node, 'metadata', 'name');
  const others = pods.filter(
    (one) =>
      wordAt(one, 'spec', 'nodeName') === name &&
      !['Failed', 'Succeeded'].includes(wordAt(one, 'status', 'phase')),
  );
  const allocatable = loosely<ResourceList>(objectAt(node, 'status', 'allocatable') ?? {});
  const shortages = findShortages(
    loosely<Pod>(pod),
    new OtherPods(loosely<readonly Pod[]>(others)),
    allocatable,
  );
  return shortages.map(describe);
}

/** The rules of admission expect valid objects; the caller catches what they throw for invalid ones. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the expected type
function loosely<Type>(value: unknown): Type {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return value as Type;
}

function describe({ resource, requested, used, capacity }: Shortage): string {
  const free = capacity > used ? capacity - used : 0n;
  const [wanted, left, all] = [requested, free, capacity].map((one) => amount(resource, one));
  return `has ${left} of ${all} ${resource} free, and the pod requests ${wanted}`;
}

const KIB = 1024n;
const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
const MILLI = 1000n;

/** In the usual unit of the resource. */
function amount(resource: string, count: bigint): string {
  if (resource === 'cpu') return count % MILLI === 0n ? String(count / MILLI) : `${count}m`;
  const isBytes = ['memory', 'ephemeral-storage'].includes(resource) || resource.startsWith('huge');
  if (!isBytes) return String(count);
  let rest = count;
  let unit = 0;
  while (rest !== 0n && rest % KIB === 0n && unit < UNITS.length - 1) {
    rest /= KIB;
    unit += 1;
  }
  return `${rest}${UNITS[unit]}`;
}
