/** Explain rule: the pod has succeeded, or has failed for another reason than admission and eviction. */
import { because, listed, quoted, sentence, type Rule } from '../finding.ts';
import { wordAt } from '../loose-json.ts';
import { endOf } from './crash-back-off.ts';
import { evicted } from './evicted.ts';
import { rejected } from './rejected.ts';

const NONE: ReadonlySet<never> = new Set();

export const ended: Rule = {
  situation: 'ended',
  find: (view) => {
    const { phase, reason, message, containers, spec, input } = view;
    if (!['Failed', 'Succeeded'].includes(phase) || view.deletedMs !== null) return [];
    if (evicted.find(view, NONE).length > 0 || rejected.find(view, NONE).length > 0) return [];
    const failed = containers.filter(({ terminated }) => (terminated?.exitCode ?? 0) !== 0);
    const ends = failed.map(({ name, terminated }) => {
      return `container ${quoted(name)} ended ${terminated ? endOf(terminated) : 'with an error'}`;
    });
    const finished = containers.flatMap(({ terminated }) => terminated?.finishedMs ?? []);
    const policy = wordAt(spec, 'restartPolicy') || 'Always';
    const isFailed = phase === 'Failed';
    const own = [reason, message].filter((text) => text !== '').join(': ');
    const why = own === '' ? listed(ends) : own;
    return [
      {
        what: isFailed
          ? sentence(`The pod has failed${because(why)}`)
          : 'All containers of the pod have ended with success.',
        sinceMs: finished.length > 0 ? Math.max(...finished) : null,
        next: `the kubelet does not start it again: its restartPolicy is ${policy}`,
        advice: isFailed ? [`Read its log: podkeep logs ${input.name} -n ${input.namespace}.`] : [],
      },
    ];
  },
};
