/**
 * Explain rule: the pod was evicted by its kubelet, or disrupted by the scheduler, a controller or the
 * eviction API.
 */
import { because, sentence, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';

const DISRUPTIONS: Readonly<Record<string, string>> = {
  PreemptionByScheduler: 'The scheduler removes the pod to make space for one of higher priority',
  DeletionByTaintManager:
    'The pod is removed because its node has a taint that it does not tolerate',
  EvictionByEvictionAPI: 'The pod was evicted through the API, as kubectl drain does',
  DeletionByPodGC: 'The pod was removed because its node is gone',
  TerminationByKubelet: 'The kubelet ends the pod to protect the node',
};

export const evicted: Rule = {
  situation: 'evicted',
  find: (view) => {
    const { reason, message, conditions, events } = view;
    const disruption = conditions.get('DisruptionTarget');
    const event = lastEvent(events, ['Evicted', 'Preempted']);
    if (reason === 'Evicted') {
      const ready = conditions.get('Ready');
      return [
        {
          what: sentence(`The kubelet evicted the pod from the node${because(message)}`),
          sinceMs: event?.lastMs ?? disruption?.sinceMs ?? ready?.sinceMs,
          next: 'an evicted pod is not started again; its controller, if it has one, creates another',
          advice: [
            'Give the pod a request and a limit that fit what it uses, or free that resource on the node.',
            'Delete the pod when its status is not needed any more.',
          ],
        },
      ];
    }
    if (disruption?.status !== 'True') return [];
    const known = Object.hasOwn(DISRUPTIONS, disruption.reason) && DISRUPTIONS[disruption.reason];
    return [
      {
        what: sentence(
          `${known || `The pod is being disrupted (${disruption.reason})`}${because(disruption.message)}`,
        ),
        sinceMs: disruption.sinceMs,
        next: 'its controller, if it has one, creates another pod',
      },
    ];
  },
};
