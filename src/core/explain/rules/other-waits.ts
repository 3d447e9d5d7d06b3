/** What the kubelet waits for and no other rule has explained: its own words. Always the last rule. */
import { because, sentence, times, type Rule } from '../finding.ts';
import { isRetryOfWork } from '../sync-retry.ts';

export const otherWaits: Rule = {
  situation: 'kubelet-waits',
  find: ({ waits }, claimed) =>
    waits
      .filter((wait) => !claimed.has(wait))
      .filter((wait) => wait.machine !== 'status-manager')
      // A failed turn says in one sentence what the explained waits say in detail.
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
