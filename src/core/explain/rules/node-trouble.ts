/** Explain rule: the pod's node does not exist, is not ready, or its kubelet does not report any more. */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { readConditions } from '../pod-view.ts';

export const nodeTrouble: Rule = {
  situation: 'node-trouble',
  find: ({ nodeName, input, phase, createdMs }) => {
    if (nodeName === '' || ['Failed', 'Succeeded'].includes(phase)) return [];
    if (input.isNodeMissing) {
      return [
        {
          what: `The pod is bound to node ${quoted(nodeName)}, which does not exist: no kubelet runs it.`,
          sinceMs: createdMs,
          next: 'the pod runs when a node of this name joins; a pod is never moved to another node',
          advice: [
            `Start the node again, or delete the pod: kubectl delete pod ${input.name} --force.`,
          ],
        },
      ];
    }
    const ready = input.node ? readConditions(input.node).get('Ready') : undefined;
    if (!ready || ready.status === 'True') return [];
    const isSilent = ready.status === 'Unknown';
    return [
      {
        what: sentence(
          isSilent
            ? `The kubelet of node ${quoted(nodeName)} does not report any more${because(ready.message)}`
            : `Node ${quoted(nodeName)} is not ready${because(ready.message)}`,
        ),
        sinceMs: ready.sinceMs,
        next: isSilent ? 'the state of the pod is as it was last reported' : null,
        advice: isSilent
          ? ['Check that the kubelet runs on that machine and reaches the API server.']
          : [`More about the node: podkeep explain node/${nodeName}.`],
      },
    ];
  },
};
