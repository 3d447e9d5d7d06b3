/** Explain rule: a container crashes repeatedly, so the kubelet delays its restarts (CrashLoopBackOff). */
import { crashBackOffWait } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, quoted, sentence, times, type Finding, type Rule } from '../finding.ts';
import type { ContainerView, EndView, PodView } from '../pod-view.ts';

export const crashBackOff: Rule = {
  situation: 'crash-back-off',
  find: (view) =>
    view.deletedMs === null
      ? view.containers
          // The status may be old, when the kubelet cannot write it.
          .filter(
            ({ name, waiting }) =>
              waiting?.reason === 'CrashLoopBackOff' ||
              findWait(view.waits, crashBackOffWait(name)),
          )
          .map((container) => explain(view, container))
      : [],
};

function explain({ waits, input }: PodView, container: ContainerView): Finding {
  const { name, last, restarts, waiting, role } = container;
  const wait = findWait(waits, crashBackOffWait(name));
  const how = last ? ` It last ended ${endOf(last)}.` : '';
  const delay = /back-off (\S+) restarting/.exec(wait?.why ?? waiting?.message ?? '')?.[1];
  const isInit = role === 'init' ? ' All other containers wait for it.' : '';
  return {
    what:
      `Container ${quoted(name)} ends again and again, so the kubelet delays its restart` +
      `${delay === undefined ? '' : ` by ${delay}`} (CrashLoopBackOff).${how}${isInit}`,
    sinceMs: wait?.sinceMs ?? last?.finishedMs,
    tried: times(wait ? wait.attempts - 1 : restarts, 'The kubelet restarted it'),
    next: 'the kubelet starts it again',
    nextMs: wait?.nextMs,
    advice: [
      `Read what it wrote: podkeep logs ${input.name} -n ${input.namespace} -c ${name} --previous.`,
    ],
    waits: [wait],
  };
}

/** `with exit code 1 (Error): message`. */
export function endOf({ exitCode, reason, message }: EndView): string {
  const named = reason === '' ? '' : ` (${reason})`;
  return sentence(`with exit code ${exitCode}${named}${because(message)}`).replace(/\.$/, '');
}
