/**
 * Explain rule, always the last: shows the kubelet's waits that no other rule has explained, with the text of
 * the kubelet's records.
 */
import { because, sentence, times, type Rule } from '../finding.ts';
import { isRetryOfWork } from '../sync-retry.ts';

export const otherWaits: Rule = {
  situation: 'kubelet-waits',
  find: ({ waits }, claimed) =>
    waits
      .filter((wait) => !claimed.has(wait))
      .filter((wait) => wait.machine !== 'status-manager')
      // The retry of a failed turn only summarizes waits that other rules have explained in detail.
      .filter((wait) => !isRetryOfWork(wait) || claimed.size === 0)
      .map((wait) => ({
        what: sentence(`The kubelet waits for ${wait.waitsFor}${because(wait.why)}`),
        sinceMs: wait.sinceMs,
        tried: times(wait.attempts, 'The kubelet tried'),
        next: 'the kubelet tries again',
        nextMs: wait.nextMs,
        waits: [wait],
      })),
};
