/** Explain rule: the pod is bound to a node, but the kubelet has not reported anything about it yet. */
import { quoted, type Rule } from '../finding.ts';
import { wordAt } from '../loose-json.ts';

export const notTaken: Rule = {
  situation: 'not-taken-by-kubelet',
  find: ({ nodeName, input, conditions, containers, createdMs, waits, deletedMs, phase }) => {
    const isTaken = wordAt(input.pod ?? {}, 'status', 'startTime') !== '' || phase !== 'Pending';
    const isKnown = waits.length > 0 || containers.some(({ waiting }) => waiting !== null);
    if (nodeName === '' || isTaken || isKnown || deletedMs !== null) return [];
    return [
      {
        what: `The kubelet of node ${quoted(nodeName)} has not reported anything about the pod yet.`,
        sinceMs: conditions.get('PodScheduled')?.sinceMs ?? createdMs,
        next: 'the kubelet takes the pod when it sees it',
        advice: [`Check that the kubelet runs: podkeep explain node/${nodeName}.`],
      },
    ];
  },
};
