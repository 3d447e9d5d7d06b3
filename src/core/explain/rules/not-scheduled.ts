/**
 * Explain rule: the pod has no node, because no node fits, it has scheduling gates, or no scheduler handles
 * it.
 */
import { findWhyNotOn } from '../node-obstacles.ts';
import { listed, quoted, sentence, times, type Finding, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import { objectsAt, wordAt } from '../loose-json.ts';
import type { PodView } from '../pod-view.ts';

const NODES_SHOWN_MAX = 10;
/** A running scheduler has tried a new pod within this time. */
const SCHEDULER_MS_MAX = 5000;

export const notScheduled: Rule = {
  situation: 'not-scheduled',
  find: (view) => {
    const { nodeName, input, deletedMs } = view;
    if (input.pod === null || nodeName !== '' || deletedMs !== null) return [];
    if (['Failed', 'Succeeded'].includes(view.phase)) return [];
    const gates = objectsAt(view.spec, 'schedulingGates').map((gate) => wordAt(gate, 'name'));
    if (gates.length > 0) return [gated(view, gates)];
    const condition = view.conditions.get('PodScheduled');
    const failure = lastEvent(view.events, ['FailedScheduling']);
    if (condition?.status === 'False' || failure) return [refused(view)];
    return [unseen(view)];
  },
};

function gated(view: PodView, gates: readonly string[]): Finding {
  const names = listed(gates.map(quoted));
  return {
    what: `The scheduler does not look for a node, because the pod has scheduling gates: ${names}.`,
    sinceMs: view.createdMs,
    next: 'the scheduler looks for a node when the last gate is removed',
    advice: [
      'The controller that set a gate removes it; if it is gone, remove the gate from spec.schedulingGates.',
    ],
  };
}

function refused(view: PodView): Finding {
  const { conditions, events, input } = view;
  const condition = conditions.get('PodScheduled');
  const failure = lastEvent(events, ['FailedScheduling']);
  const found = input.nodes.map((node) => {
    return { name: wordAt(node, 'metadata', 'name'), lacks: findWhyNotOn(view, node) };
  });
  const lacking = found.filter(({ lacks }) => lacks.length > 0);
  const shown = lacking.slice(0, NODES_SHOWN_MAX).map(({ name, lacks }) => {
    return `node ${quoted(name)} ${listed(lacks)}`;
  });
  const more = lacking.length - shown.length;
  const details = more > 0 ? [...shown, `${more} more nodes lack something, too`] : shown;
  const message = condition?.message || failure?.message || 'no reason is given';
  const because = details.length > 0 ? details.join('; ') : message;
  return {
    what: sentence(`The scheduler found no node for the pod: ${because}`),
    sinceMs: condition?.sinceMs ?? failure?.firstMs ?? view.createdMs,
    tried: times(failure?.count ?? 0, 'The scheduler recorded that it failed'),
    next: nextFor(view),
    advice: adviceFor(because, input.nodes.length),
  };
}

/** A nominated pod waits for pods that the scheduler preempted for it. */
function nextFor({ input }: PodView): string {
  const node = wordAt(input.pod ?? {}, 'status', 'nominatedNodeName');
  return node === ''
    ? 'the scheduler tries again when a node or another pod changes'
    : `the scheduler binds the pod to node ${quoted(node)} when the pods that it preempted there have ended`;
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /free|Insufficient|Too many pods/,
    'Lower the requests of the pod, delete pods that are not needed, or add a node.',
  ],
  [/taint/, 'Add a toleration for the taint to the pod, or remove the taint from the node.'],
  [
    /nodeSelector|affinity|selector/,
    'Correct nodeSelector or affinity of the pod, or label a node: kubectl label node NODE KEY=VALUE.',
  ],
  [/cordoned|unschedulable/, 'Make the node schedulable again: kubectl uncordon NODE.'],
  [
    /resource claims/,
    "podkeep's scheduler does not allocate devices: remove spec.resourceClaims, or run kube-scheduler.",
  ],
  [
    /[Vv]olume|PersistentVolumeClaim|persistentvolumeclaim/,
    'Check the claims of the pod: podkeep get pvc.',
  ],
];

function adviceFor(text: string, nodes: number): readonly string[] {
  if (nodes === 0 && text.includes('no nodes'))
    return ['The cluster has no node: start one, for example with podkeep kubelet.'];
  return ADVICE.flatMap(([pattern, advice]) => (pattern.test(text) ? [advice] : []));
}

function unseen(view: PodView): Finding {
  const name = wordAt(view.spec, 'schedulerName') || 'default-scheduler';
  const ageMs = view.createdMs === null ? Infinity : view.now - view.createdMs;
  const isYoung = ageMs < SCHEDULER_MS_MAX;
  return {
    what: isYoung
      ? `The pod is new, and the scheduler ${quoted(name)} has not chosen a node yet.`
      : `No scheduler has looked at the pod: it names the scheduler ${quoted(name)}.`,
    sinceMs: view.createdMs,
    next: 'the scheduler chooses a node',
    advice: isYoung
      ? []
      : ['Check that a scheduler of this name runs, or set spec.nodeName to bind the pod by hand.'],
  };
}
