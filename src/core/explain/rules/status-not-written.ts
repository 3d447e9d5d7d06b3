/** Explain rule: the kubelet cannot write the pod's status, so the API shows an outdated one. */
import { STATUS_WRITE_WAIT } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, sentence, times, type Rule } from '../finding.ts';

export const statusNotWritten: Rule = {
  situation: 'status-not-written',
  find: ({ waits, nodeName }) => {
    const wait = findWait(waits, STATUS_WRITE_WAIT);
    if (!wait) return [];
    const answer = /\(last answer: (.*)\)$/s.exec(wait.waitsFor)?.[1] ?? '';
    return [
      {
        what: sentence(
          `The kubelet cannot write the status of the pod to the API server, so what the API shows is old${because(answer)}`,
        ),
        sinceMs: wait.sinceMs,
        tried: times(wait.attempts, 'The kubelet tried to write it'),
        next: 'the kubelet writes it again',
        nextMs: wait.nextMs,
        advice: [
          `Check that node ${nodeName || 'of the pod'} reaches the API server, and that it may patch pods/status.`,
          'The containers are not affected: the kubelet keeps them running meanwhile.',
        ],
        waits: [wait],
      },
    ];
  },
};
