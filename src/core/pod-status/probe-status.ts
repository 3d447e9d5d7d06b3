/**
 * Adds the probe results to a status: which containers have started, and which are ready (KL-78).
 *
 * A container without a probe is started and ready as soon as it runs. If a container started more than ten
 * seconds before podkeep did, it keeps its readiness until its probe has a result, so that a restart of
 * podkeep does not take pods out of service (KL-79).
 */
import { isConditionTrue } from '../../api/condition.ts';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import type { Time } from '../../api/meta.ts';
import { secondsBetween } from '../../api/values/time.ts';
import { mapShared, withFields } from '../../lib/share.ts';
import { READY } from './condition-ownership.ts';
import { initContainerAt, isSidecar } from '../pod/pod-facts.ts';

export type ProbeResult = 'success' | 'failure' | 'unknown';

export interface ProbeView {
  /** Newest results by container ID. */
  readonly startup: ReadonlyMap<string, ProbeResult>;
  readonly readiness: ReadonlyMap<string, ProbeResult>;
  /** Names of the pod's containers that have a probe worker. */
  readonly startupProbed: ReadonlySet<string>;
  readonly readinessProbed: ReadonlySet<string>;
  /** When this podkeep process started to probe. */
  readonly since: Time;
}

/** A container that started more than this long before podkeep was probed by an earlier process. */
const RESTART_WINDOW_SECONDS = 10;

export function withProbeResults(pod: Pod, status: PodStatus, probes: ProbeView): PodStatus {
  const { containerStatuses, initContainerStatuses } = status;
  return withFields(status, {
    ...(containerStatuses && {
      containerStatuses: mapShared(containerStatuses, (container) => {
        const spec = pod.spec.containers.find(({ name }) => name === container.name);
        return withStartedAndReady(pod, spec, container, probes);
      }),
    }),
    ...(initContainerStatuses && {
      initContainerStatuses: mapShared(initContainerStatuses, (container, index) => {
        const spec = initContainerAt(pod.spec, initContainerStatuses, index);
        if (spec && isSidecar(spec)) return withStartedAndReady(pod, spec, container, probes);
        const ended = spec && container.state?.terminated?.exitCode === 0;
        return withFields(container, {
          started: hasStarted(container, probes),
          ...(ended ? { ready: true } : undefined),
        });
      }),
    }),
  });
}

function withStartedAndReady(
  pod: Pod,
  spec: Container | undefined,
  container: ContainerStatus,
  probes: ProbeView,
): ContainerStatus {
  const started = hasStarted(container, probes);
  // Not started yet: the readiness probe has not run, so readiness stays what it was.
  if (!started) return withFields(container, { started });
  return withFields(container, { started, ready: isReady(pod, spec, container, probes) });
}

function hasStarted(container: ContainerStatus, probes: ProbeView): boolean {
  if (!container.state?.running) return false;
  const result = probes.startup.get(container.containerID ?? '');
  if (result) return result === 'success';
  return container.started === true || !probes.startupProbed.has(container.name);
}

function isReady(
  pod: Pod,
  spec: Container | undefined,
  container: ContainerStatus,
  probes: ProbeView,
): boolean {
  const result = probes.readiness.get(container.containerID ?? '');
  if (result === 'success') return true;
  const isUnprobed = !probes.readinessProbed.has(container.name);
  if (!spec || !isOlderThanPodkeep(container, probes)) return isUnprobed;
  if (spec.readinessProbe && !isConditionTrue(pod.status?.conditions, READY)) return false;
  return isUnprobed || result === undefined;
}

function isOlderThanPodkeep({ state }: ContainerStatus, { since }: ProbeView): boolean {
  const startedAt = state?.running?.startedAt;
  return Boolean(startedAt) && secondsBetween(startedAt ?? since, since) > RESTART_WINDOW_SECONDS;
}
