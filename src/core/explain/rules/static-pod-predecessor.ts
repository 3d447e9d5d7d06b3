/**
 * Explain rule: a static pod waits until the older pod of the same name, whose manifest it replaced, has
 * stopped.
 */
import type { Rule } from '../finding.ts';

export const staticPodPredecessor: Rule = {
  situation: 'older-static-pod',
  find: ({ waits }) => {
    const wait = waits.find(({ waitsFor }) => waitsFor.startsWith('the older static pod'));
    if (!wait) return [];
    return [
      {
        what: `The new static pod waits for ${wait.waitsFor}: two static pods of one name never run at once.`,
        sinceMs: wait.sinceMs,
        next: 'the kubelet starts it as soon as the older pod has stopped',
        advice: [
          'Wait for the older pod to stop: its grace period limits that.',
          'If its process ignores its stop signal, the kubelet kills it when the grace period ends.',
        ],
        waits: [wait],
      },
    ];
  },
};
