/** Explain rule: a deleted pod stays in the API because of its finalizers. */
import { listed, quoted, type Rule } from '../finding.ts';

export const heldByFinalizer: Rule = {
  situation: 'held-by-finalizer',
  find: ({ deletedMs, finalizers, containers, input }) => {
    if (deletedMs === null || finalizers.length === 0) return [];
    const isStopped = !containers.some(({ isRunning }) => isRunning);
    const names = listed(finalizers.map(quoted));
    const isOne = finalizers.length === 1;
    return [
      {
        what:
          `The pod is deleted, but the API server keeps it until ${isOne ? 'its finalizer' : 'its finalizers'} ` +
          `${names} ${isOne ? 'is' : 'are'} removed.${isStopped ? ' None of its containers runs any more.' : ''}`,
        sinceMs: deletedMs,
        next: 'the API server removes the pod with the last finalizer',
        advice: [
          'The controller that set a finalizer removes it when its work is done: check that it runs.',
          `If that controller is gone: kubectl patch pod ${input.name} -n ${input.namespace} --type=merge -p '{"metadata":{"finalizers":null}}'.`,
        ],
      },
    ];
  },
};
