/** Explain rule: a container runs but is not ready, because its readiness probe has not succeeded. */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { findProbe, probeHistory } from '../failing-probe.ts';

export const readinessProbe: Rule = {
  situation: 'readiness-probe-failing',
  find: (view) =>
    view.containers.flatMap((container) => {
      const probe = findProbe(view, container, 'readiness');
      const { name, isRunning, isReady, isStarted } = container;
      if (!probe || view.deletedMs !== null || isReady || !isRunning || !isStarted) return [];
      const isFailing = probe.wait !== undefined || probe.event !== undefined;
      const history = probeHistory(probe);
      return [
        {
          ...history,
          what: sentence(
            isFailing
              ? `Container ${quoted(name)} runs, but its readiness probe fails${because(probe.output)}`
              : `Container ${quoted(name)} runs, and its readiness probe has not succeeded yet`,
          ),
          sinceMs: history.sinceMs ?? container.runningSinceMs,
          next: 'the kubelet probes again; the container is ready after a success, and is not restarted',
          advice: [
            'Check what the probe asks for, and that the application answers it.',
            `Try it yourself: podkeep exec ${view.input.name} -n ${view.input.namespace} -c ${name} -- COMMAND.`,
          ],
        },
      ];
    }),
};
