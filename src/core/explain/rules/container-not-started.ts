/** Explain rule: a container cannot be created or started, for another reason than its image. */
import { startWait } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, quoted, sentence, times, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import { syncRetry } from '../sync-retry.ts';
import { missingObjectsOf } from './missing-object.ts';

const ADVICE: Readonly<Record<string, string>> = {
  CreateContainerConfigError:
    'Correct what the message names: a key, a reference or a setting of the container.',
  CreateContainerError: 'Correct what the message names, or check the container runtime.',
  RunContainerError: 'Check that the command exists in the image and may be executed.',
  StartError: 'Check that the command exists in the image and may be executed.',
  PostStartHookError: 'Correct the postStart hook: the container is stopped when it fails.',
};

export const containerNotStarted: Rule = {
  situation: 'container-not-started',
  find: (view) => {
    const missing = new Set(missingObjectsOf(view).flatMap(({ usedBy }) => usedBy));
    return view.containers
      .filter(({ waiting }) => waiting && Object.hasOwn(ADVICE, waiting.reason))
      .filter(({ name, waiting }) => {
        // The rule missing-object has explained this one already.
        const isExplained = missing.has(`container ${quoted(name)}`);
        return !(isExplained && waiting?.reason === 'CreateContainerConfigError');
      })
      .map(({ name, waiting }) => {
        const wait = findWait(view.waits, startWait(name));
        const event = lastEvent(view.events, ['Failed'], (one) => one.container === name);
        const { reason = '', message = '' } = waiting ?? {};
        return {
          what: sentence(`Container ${quoted(name)} cannot start (${reason})${because(message)}`),
          sinceMs: wait?.sinceMs ?? event?.firstMs,
          tried: times(wait?.attempts ?? event?.count ?? 0, 'The kubelet tried to start it'),
          next: 'the kubelet tries to start it again',
          nextMs: wait?.nextMs ?? syncRetry(view),
          advice: [ADVICE[reason] ?? ''],
          waits: [wait],
        };
      });
  },
};
