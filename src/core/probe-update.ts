/**
 * What one probe's news makes of a status (SM-16 to SM-19).
 *
 * Null means that there is nothing to say: the container is not in the status, or it says so
 * already. Ephemeral containers have no probes and are never found.
 */
import { replaceOrAppendCondition } from '../api/condition.ts';
import type { ContainerStatus, Pod, PodStatus } from '../api/pod.ts';
import { withFields } from '../lib/share.ts';
import { containersReadyCondition, readyCondition } from './ready-conditions.ts';
import { withProbeResults, type ProbeView } from './probe-status.ts';

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

/** A container that never said whether it started is not one that said no (SM-18). */
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
 * Brings a status that took a while to compute up to date with what the probes found meanwhile
 * (F-3): a worker that hands over an old answer must not overwrite a newer one.
 */
export function withNewestProbes(pod: Pod, status: PodStatus, probes: ProbeView): PodStatus {
  const probed = withProbeResults(pod, status, probes);
  return probed === status ? status : withReadyConditions(pod, probed);
}

/** Ready and then ContainersReady, each in its place or at the end (SM-17). */
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
