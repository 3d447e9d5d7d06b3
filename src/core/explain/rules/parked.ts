/** Explain rule: podkeep no longer manages the pod, because one of podkeep's own invariants was violated. */
import { readItems } from '../current-waits.ts';
import { because, sentence, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';

export const parked: Rule = {
  situation: 'parked',
  find: ({ input, events }) => {
    const item = readItems(input.timeline).findLast(({ to }) => to === 'parked');
    const event = lastEvent(events, ['PodParked']);
    if (!item && !event) return [];
    return [
      {
        what: sentence(
          `The kubelet no longer manages the pod, because a rule of its own was broken${because(item?.why ?? event?.message ?? '')}`,
        ),
        sinceMs: item?.atMs ?? event?.lastMs,
        next: 'its containers stay as they are until podkeep is started again',
        advice: ['Start podkeep again on the node, and report this: it is a defect of podkeep.'],
      },
    ];
  },
};
