/** Explain rule: the kubelet rejected the pod at admission. */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';

const PREFIX = /^Pod was rejected: /;

export const rejected: Rule = {
  situation: 'rejected-by-admission',
  find: ({ phase, reason, message, events, nodeName, conditions, createdMs }) => {
    const event = lastEvent(events, [reason]);
    const isRejected = PREFIX.test(message) || /^(?:OutOf|UnexpectedAdmission)/.test(reason);
    if (phase !== 'Failed' || !isRejected) return [];
    const text = message.replace(PREFIX, '');
    return [
      {
        what: sentence(
          `The kubelet of node ${quoted(nodeName)} rejected the pod (${reason || 'no reason'})${because(text)}`,
        ),
        sinceMs: event?.lastMs ?? conditions.get('Ready')?.sinceMs ?? createdMs,
        tried: 'Admission decides once.',
        next: 'a rejected pod is not started again; its controller, if it has one, creates another',
        advice: adviceFor(reason),
      },
    ];
  },
};

function adviceFor(reason: string): readonly string[] {
  const again = 'Then delete the pod and create it again.';
  if (reason.startsWith('OutOf')) {
    return ['Lower the requests of the pod, or delete other pods of the node.', again];
  }
  if (/Affinity|Selector|Taint/.test(reason)) {
    return ['Correct nodeSelector, affinity or tolerations, or do not set spec.nodeName.', again];
  }
  return ['Correct what the message names, or let the scheduler choose another node.', again];
}
