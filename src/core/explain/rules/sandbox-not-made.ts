/**
 * Explain rule: the sandbox of the pod cannot be created, because of the network plugin, a cgroup, the
 * RuntimeClass or the runtime.
 */
import { SANDBOX_WAIT } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, sentence, times, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import { syncRetry } from '../sync-retry.ts';

const REASONS = [
  'FailedCreatePodSandBox',
  'FailedPodSandBoxStatus',
  'NetworkNotReady',
  'FailedCreatePodContainer',
];

export const sandboxNotMade: Rule = {
  situation: 'sandbox-not-made',
  find: (view) => {
    const { waits, events, containers, phase, deletedMs } = view;
    if (phase !== 'Pending' || deletedMs !== null) return [];
    const wait = findWait(waits, SANDBOX_WAIT);
    const event = lastEvent(events, REASONS);
    const isCreating = containers.some(({ waiting }) =>
      ['ContainerCreating', 'PodInitializing'].includes(waiting?.reason ?? ''),
    );
    // Events of containers are recorded only after the sandbox exists.
    const later = lastEvent(events, ['Pulling', 'Pulled', 'Created']);
    const isOld = (later?.lastMs ?? -1) >= (event?.lastMs ?? 0);
    if (!wait && (!event || !isCreating || isOld)) return [];
    return [
      {
        what: sentence(
          `The sandbox of the pod cannot be created${because(wait?.why ?? event?.message ?? '')}`,
        ),
        sinceMs: wait?.sinceMs ?? event?.firstMs,
        tried: times(wait?.attempts ?? event?.count ?? 0, 'The kubelet tried'),
        next: 'the kubelet tries again',
        nextMs: wait?.nextMs ?? syncRetry(view),
        advice: ['Check the container runtime and the network plugin of the node, and their logs.'],
        waits: [wait],
      },
    ];
  },
};
