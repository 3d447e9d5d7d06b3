/** Explain rule: the kubelet restarts a container because its liveness probe fails. */
import { because, quoted, sentence, type Rule } from '../finding.ts';
import { findProbe, probeHistory } from '../failing-probe.ts';

export const livenessProbe: Rule = {
  situation: 'liveness-probe-failing',
  find: (view) =>
    view.containers.flatMap((container) => {
      const probe = findProbe(view, container, 'liveness');
      if (!probe || view.deletedMs !== null) return [];
      const { event, wait } = probe;
      // Restarts of a container that is healthy again are history.
      const isRecent = (event?.lastMs ?? 0) >= (container.runningSinceMs ?? 0);
      const isCause = event !== undefined && container.restarts > 0 && !container.isReady;
      if (!wait && !(isCause && isRecent)) return [];
      return [
        {
          ...probeHistory(probe),
          what: sentence(
            `Container ${quoted(container.name)} fails its liveness probe${because(probe.output)}`,
          ),
          next: `the kubelet probes again; after ${probe.failureThreshold} failures in a row it restarts the container`,
          advice: [
            'Check what the probe asks for, and that the application answers it.',
            'A container that starts slowly needs a startup probe, or a longer initialDelaySeconds.',
          ],
        },
      ];
    }),
};
