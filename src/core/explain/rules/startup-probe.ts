/** Explain rule: a container runs but counts as not started, because its startup probe has not succeeded. */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { findProbe, probeHistory } from '../failing-probe.ts';

export const startupProbe: Rule = {
  situation: 'startup-probe-failing',
  find: (view) =>
    view.containers.flatMap((container) => {
      const probe = findProbe(view, container, 'startup');
      if (!probe || view.deletedMs !== null || container.isStarted) return [];
      if (!container.isRunning) return [];
      const { name } = container;
      const isFailing = probe.wait !== undefined || probe.event !== undefined;
      const history = probeHistory(probe);
      return [
        {
          ...history,
          what: sentence(
            isFailing
              ? `Container ${quoted(name)} runs, but its startup probe fails${because(probe.output)}`
              : `Container ${quoted(name)} runs, and its startup probe has not succeeded yet`,
          ),
          sinceMs: history.sinceMs ?? container.runningSinceMs,
          next: `the kubelet probes again; after ${probe.failureThreshold} failures in a row it restarts the container`,
          advice: [
            'Check what the probe asks for, and that the application answers it.',
            'If it only needs longer, raise failureThreshold or periodSeconds of the startup probe.',
          ],
        },
      ];
    }),
};
