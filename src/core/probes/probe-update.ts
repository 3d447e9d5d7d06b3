/**
 * Applies one probe result to a status (SM-16 to SM-19).
 *
 * Null: nothing changes, because the container is not in the status or already has this result. Ephemeral
 * containers have no probes, so they are not searched.
 */
import { replaceOrAppendCondition } from '../../api/condition.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { withFields } from '../../lib/share.ts';
import { containersReadyCondition, readyCondition } from '../pod-status/ready-conditions.ts';
import { withProbeResults, type ProbeView } from '../pod-status/probe-status.ts';

export function withReadiness(
  pod: Pod,
  status: PodStatus,
  containerID: string,
  ready: boolean,
): PodStatus | null {
  const changed = withContainer(status, containerID, (container) =>
    (container.ready ?? false) === ready ? container : { ...container, ready },
  );
  return changed && withReadyConditions(pod, changed);
}

/** An absent `started` is not the same as `started: false` (SM-18). */
export function withStartup(
  status: PodStatus,
  containerID: string,
  started: boolean,
): PodStatus | null {
  return withContainer(status, containerID, (container) =>
    (container.started ?? null) === started ? container : { ...container, started },
  );
}

/**
 * Updates a status that took a while to compute with the probe results since then (F-3): a worker with
 * an old status must not overwrite a newer result.
 */
export function withNewestProbes(pod: Pod, status: PodStatus, probes: ProbeView): PodStatus {
  const probed = withProbeResults(pod, status, probes);
  return probed === status ? status : withReadyConditions(pod, probed);
}

/** Ready and then ContainersReady, each in its position or at the end (SM-17). */
function withReadyConditions(pod: Pod, status: PodStatus): PodStatus {
  const { initContainerStatuses, containerStatuses, phase } = status;
  const known = initContainerStatuses ?? containerStatuses;
  const view = {
    containerStatuses: known && [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])],
    phase,
  };
  const ready = readyCondition(pod, view, status.conditions);
  const conditions = replaceOrAppendCondition(status.conditions, ready);
  return {
    ...status,
    conditions: replaceOrAppendCondition(conditions, containersReadyCondition(pod, view)),
  };
}

/** Regular containers first, then init containers (SM-19). */
function withContainer(
  status: PodStatus,
  containerID: string,
  change: (container: ContainerStatus) => ContainerStatus,
): PodStatus | null {
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    const containers = status[list] ?? [];
    const index = containers.findIndex((container) => container.containerID === containerID);
    const found = containers[index];
    if (!found) continue;
    const changed = change(found);
    return changed === found
      ? null
      : withFields(status, { [list]: containers.with(index, changed) });
  }
  return null;
}
