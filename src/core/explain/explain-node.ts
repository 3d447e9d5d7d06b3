/** Explains a node: whether it is ready and why not, pressures, cordon, taints, and its pods by state. */
import type { JsonObject } from '../../lib/json.ts';
import type { ExplainedCause, Explanation } from './explanation.ts';
import { because, quoted, sentence, toCause, type Finding } from './finding.ts';
import { isoTime, msAt, objectsAt, valueAt, wordAt } from './loose-json.ts';
import { eventEntries } from './pod-timeline.ts';
import { readConditions, type ConditionView } from './pod-view.ts';

export interface NodeInput {
  readonly name: string;
  readonly node: JsonObject;
  readonly events: readonly JsonObject[];
  /** The pods of this node. */
  readonly pods: readonly JsonObject[];
  /** Null: it could not be read. */
  readonly lease: JsonObject | null;
  readonly notes: readonly string[];
  readonly now: number;
}

const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'Free memory on the node, or move pods away: best-effort pods are not admitted.',
  DiskPressure: 'Free disk space on the node: no pods are admitted, and pods may be evicted.',
  PIDPressure: 'Look for pods that start too many processes.',
  NetworkUnavailable: 'Check the network plugin of the node.',
};
const OWN_TAINT = /^node\.kubernetes\.io\//;

export function explainNode(input: NodeInput): Explanation {
  const { node, name, now } = input;
  const conditions = readConditions(node);
  const ready = conditions.get('Ready');
  const isCordoned = valueAt(node, 'spec', 'unschedulable') === true;
  const causes = [
    ...readiness(input, ready),
    ...pressures(conditions),
    ...(isCordoned ? [cordon(input)] : []),
    ...taints(node),
  ];
  const isReady = ready?.status === 'True';
  return {
    kind: 'Explanation',
    apiVersion: 'podkeep/v1',
    subject: { kind: 'Node', name, uid: wordAt(node, 'metadata', 'uid') || null },
    at: isoTime(now) ?? '',
    state: isReady ? 'Ready' : ready?.status === 'Unknown' ? 'Unknown' : 'NotReady',
    summary: `Node ${quoted(name)} is ${isReady ? 'ready' : 'not ready'}${isCordoned ? ' and cordoned' : ''}; ${podsByState(input.pods)}.`,
    causes,
    timeline: eventEntries(input.events),
    notes: input.notes,
  };
}

function readiness(input: NodeInput, ready: ConditionView | undefined): readonly ExplainedCause[] {
  if (ready?.status === 'True') return [];
  const renewedMs = msAt(input.lease ?? {}, 'spec', 'renewTime');
  const isSilent = ready?.status === 'Unknown';
  const finding: Finding = ready
    ? {
        what: sentence(
          isSilent
            ? `The kubelet of the node does not report any more${because(ready.message)}`
            : `The kubelet reports that the node is not ready (${ready.reason || 'no reason'})${because(ready.message)}`,
        ),
        sinceMs: ready.sinceMs,
        tried:
          renewedMs === null
            ? null
            : `The kubelet last renewed its lease at ${isoTime(renewedMs) ?? 'an unknown time'}`,
        next: isSilent
          ? 'pods that do not tolerate it are deleted after five minutes, unless a controller is missing'
          : 'the node is ready as soon as the kubelet reports it',
        advice: isSilent
          ? ['Check that the machine and its kubelet run, and that they reach the API server.']
          : ['Correct what the message names: the runtime, the network plugin or the disk.'],
      }
    : {
        what: 'No kubelet has reported the condition Ready of this node.',
        sinceMs: msAt(input.node, 'metadata', 'creationTimestamp'),
        next: 'the node is ready when its kubelet has registered and reports',
        advice: ['Start the kubelet of the node: podkeep kubelet, or podkeep up.'],
      };
  return [toCause('node-not-ready', finding)];
}

function pressures(conditions: ReadonlyMap<string, ConditionView>): readonly ExplainedCause[] {
  return Object.entries(PRESSURES).flatMap(([type, advice]) => {
    const condition = conditions.get(type);
    if (condition?.status !== 'True') return [];
    const what = sentence(`The node is under ${type}${because(condition.message)}`);
    return [toCause('node-pressure', { what, sinceMs: condition.sinceMs, advice: [advice] })];
  });
}

function cordon({ node, name }: NodeInput): ExplainedCause {
  const taint = objectsAt(node, 'spec', 'taints').find(
    (one) => wordAt(one, 'key') === 'node.kubernetes.io/unschedulable',
  );
  return toCause('node-cordoned', {
    what: 'The node is cordoned: the scheduler binds no new pods to it.',
    sinceMs: msAt(taint ?? {}, 'timeAdded'),
    advice: [`Make it schedulable again: kubectl uncordon ${name}.`],
  });
}

function taints(node: JsonObject): readonly ExplainedCause[] {
  return objectsAt(node, 'spec', 'taints')
    .filter((taint) => !OWN_TAINT.test(wordAt(taint, 'key')))
    .map((taint) =>
      toCause('node-tainted', {
        what: `The node has the taint ${wordAt(taint, 'key')}:${wordAt(taint, 'effect')}; only pods that tolerate it run here.`,
        sinceMs: msAt(taint, 'timeAdded'),
      }),
    );
}

/** `3 pods: 2 Running, 1 Pending`. */
function podsByState(pods: readonly JsonObject[]): string {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const isDeleted = wordAt(pod, 'metadata', 'deletionTimestamp') !== '';
    const state = isDeleted ? 'Terminating' : wordAt(pod, 'status', 'phase') || 'Unknown';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const parts = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const list = parts.map(([state, count]) => `${count} ${state}`).join(', ');
  if (pods.length === 0) return 'it has no pods';
  return `it has ${pods.length} ${pods.length === 1 ? 'pod' : 'pods'}: ${list}`;
}
