/** Explain rule: an in-place resize of the pod is pending or in progress. */
import { because, sentence, type Rule } from '../finding.ts';

export const resize: Rule = {
  situation: 'resize-pending',
  find: ({ conditions }) =>
    ['PodResizePending', 'PodResizeInProgress'].flatMap((type) => {
      const condition = conditions.get(type);
      if (condition?.status !== 'True') return [];
      const { reason, message, sinceMs } = condition;
      const isInfeasible = reason === 'Infeasible';
      return [
        {
          what: sentence(
            `The new resources of the pod are not applied yet (${reason || type})${because(message)}`,
          ),
          sinceMs,
          next: isInfeasible
            ? 'the kubelet does not try this size again'
            : 'the kubelet tries again when other pods of the node change',
          advice: isInfeasible ? ['Ask for resources that the node can have at all.'] : [],
        },
      ];
    }),
};
