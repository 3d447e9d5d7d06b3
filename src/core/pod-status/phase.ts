/**
 * Computes the phase of a pod from the statuses of its containers (KL-21, KL-29a to KL-31).
 *
 *     init containers ──> failed for good? ──────────────> Failed
 *                    └──> still to run? ─────────────────> Pending
 *     containers ─────┬─> one waits for its first start ─> Pending
 *                     ├─> one runs, all are known ───────> Running
 *                     └─> all stopped ──┬─ will restart ─> Running
 *                                       └─ for good ─────> Succeeded or Failed
 *
 * First, the containers in each state are counted; then the rules above are applied to the counts, from top
 * to bottom.
 */
import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodPhase,
  PodSpec,
} from '../../api/pod.ts';
import { findStatus, isSidecar, isStaticPod } from '../pod/pod-facts.ts';
import { restartsAfterExit } from '../pod-actions/restart-policy.ts';

export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

export interface PhaseView {
  /** Init and regular statuses. */
  readonly containerStatuses: readonly ContainerStatus[];
  /** No container of the pod will be started any more. */
  readonly isTerminal: boolean;
  /** A regular container exists in the active sandbox (E-22). */
  readonly hasInitialized: boolean;
}

export function podPhase(pod: Pod, view: PhaseView): PodPhase {
  const { spec } = pod;
  const init = countInit(spec, view.containerStatuses);
  const main = countMain(spec, view.containerStatuses);

  if (init.failedForGood > 0) return 'Failed';
  if (init.pending > 0) return 'Pending';
  // A sidecar that restarts after initialisation does not make a running pod pending again.
  if (main.pendingSidecars > 0 && !view.hasInitialized) return 'Pending';
  if (main.waiting > 0) return 'Pending';
  if (main.unknown > 0) return 'Pending';
  if (main.running > 0) return 'Running';
  if (main.stopped === 0) return 'Pending';

  const staysDown = (view.isTerminal && !isStaticPod(pod)) || main.restarting === 0;
  if (!staysDown) return 'Running';
  return main.stopped === main.succeeded ? 'Succeeded' : 'Failed';
}

/** Regular init containers, which must all succeed before anything else starts. */
function countInit(spec: PodSpec, statuses: readonly ContainerStatus[]) {
  const counts = { pending: 0, failedForGood: 0 };
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) continue;
    const ended = lastEnd(findStatus(statuses, container.name));
    if (!ended) counts.pending += 1;
    else if (ended.exitCode !== 0 && !restarts(container, spec, ended)) counts.failedForGood += 1;
  }
  return counts;
}

/** Sidecars and regular containers, which together decide whether the pod runs. */
function countMain(spec: PodSpec, statuses: readonly ContainerStatus[]) {
  const counts = {
    pendingSidecars: 0,
    running: 0,
    waiting: 0,
    unknown: 0,
    stopped: 0,
    restarting: 0,
    succeeded: 0,
  };
  for (const container of (spec.initContainers ?? []).filter(isSidecar)) {
    const status = findStatus(statuses, container.name);
    if (status?.state?.running) {
      counts.running += 1;
      if (!status.started) counts.pendingSidecars += 1;
    } else if (lastEnd(status)) {
      continue; // a stopped sidecar does not affect the phase
    } else if (status?.state?.waiting) {
      counts.waiting += 1;
      counts.pendingSidecars += 1;
    } else {
      counts.unknown += 1;
      if (status) counts.pendingSidecars += 1;
    }
  }
  for (const container of spec.containers) {
    const status = findStatus(statuses, container.name);
    const ended = lastEnd(status);
    if (status?.state?.running) {
      counts.running += 1;
    } else if (ended) {
      counts.stopped += 1;
      if (restarts(container, spec, ended)) counts.restarting += 1;
      // A container that waits after a success is stopped, but has not succeeded (KL-31).
      if (status?.state?.terminated && ended.exitCode === 0) counts.succeeded += 1;
    } else if (status?.state?.waiting) {
      counts.waiting += 1;
    } else {
      counts.unknown += 1;
    }
  }
  return counts;
}

/** How a container that is not running ended: just now, or before it began to wait. */
function lastEnd(status: ContainerStatus | undefined): ContainerStateTerminated | undefined {
  const { state, lastState } = status ?? {};
  if (state?.running) return undefined;
  if (state?.terminated) return state.terminated;
  return state?.waiting ? (lastState?.terminated ?? undefined) : undefined;
}

function restarts(
  container: Container,
  spec: PodSpec,
  { exitCode, reason }: ContainerStateTerminated,
): boolean {
  return reason === RESTARTING_ALL_CONTAINERS || restartsAfterExit(container, spec, exitCode);
}
