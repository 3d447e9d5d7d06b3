/** Explain rule: the containers wait for an init container that still runs. */
import { quoted, type Rule } from '../finding.ts';

export const initContainer: Rule = {
  situation: 'init-container-running',
  find: ({ containers, phase, deletedMs, input }) => {
    if (phase !== 'Pending' || deletedMs !== null) return [];
    const running = containers.find(({ role, isRunning }) => role === 'init' && isRunning);
    if (!running) return [];
    return [
      {
        what: `Init container ${quoted(running.name)} runs; the containers after it start when it has succeeded.`,
        sinceMs: running.runningSinceMs,
        advice: [
          `See what it does: podkeep logs ${input.name} -n ${input.namespace} -c ${running.name}.`,
        ],
      },
    ];
  },
};
