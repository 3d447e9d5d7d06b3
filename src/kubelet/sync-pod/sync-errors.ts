/** The errors with which sync handlers fail. */
import { defineError } from '../../lib/errors.ts';

export const podNotSynced = defineError<{ pod: string; reasons: readonly string[] }>({
  code: 'POD_NOT_SYNCED',
  retry: 'backoff',
  message: ({ pod, reasons }) => `failed to sync pod ${pod}: ${reasons.join(', ')}`,
  hint: () => 'Podkeep retries automatically. See the events and the status of the pod.',
});

export const podNotKilled = defineError<{ reason: string }>({
  code: 'POD_NOT_KILLED',
  retry: 'backoff',
  message: ({ reason }) => `error killing terminating pod: ${reason}`,
  hint: () => 'Podkeep retries automatically. If this persists, check the container runtime.',
});

export const containersStillRun = defineError<{ ids: readonly string[] }>({
  code: 'CONTAINERS_STILL_RUN',
  retry: 'backoff',
  message: ({ ids }) =>
    `detected running containers after a successful KillPod, CRI violation: [${ids.join(' ')}]`,
  hint: () => 'The container runtime reported them as stopped. See its log.',
});

export const cgroupNotMade = defineError<{ uid: string; reason: string }>({
  code: 'CGROUP_NOT_MADE',
  retry: 'backoff',
  message: ({ uid, reason }) =>
    `failed to ensure that the pod: ${uid} cgroups exist and are correctly applied: ${reason}`,
  hint: () => 'Check that podkeep may write control groups on this machine.',
});
