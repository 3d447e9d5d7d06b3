/**
 * Refuses a status in which a container that ended for good runs again (SM-30 to SM-33).
 *
 * Such a status is a bug in the code that computed it: no client may see a Job's container run twice. Returns
 * the message to log. Null: the transition is valid.
 */
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../api/pod.ts';
import { findStatus, initContainerAt, isSidecar } from '../pod/pod-facts.ts';
import { mayRestartAllContainers, restartsAfterExit } from '../pod-actions/restart-policy.ts';

export function checkContainerTransitions(
  spec: PodSpec,
  old: PodStatus,
  status: PodStatus,
): string | null {
  if (spec.restartPolicy === 'Always' || mayRestartAllContainers(spec)) return null;
  return checkRegular(spec, old, status) ?? checkInit(spec, old, status);
}

function checkRegular(spec: PodSpec, old: PodStatus, status: PodStatus): string | null {
  for (const before of old.containerStatuses ?? []) {
    const revived = findRevived(spec, spec.containers, before, status.containerStatuses);
    if (revived) return illegalTransition('container', revived);
  }
  return null;
}

function checkInit(spec: PodSpec, old: PodStatus, status: PodStatus): string | null {
  const statuses = old.initContainerStatuses ?? [];
  for (const [index, before] of statuses.entries()) {
    const container = initContainerAt(spec, statuses, index);
    if (!container) {
      return `found mismatch between pod spec and status, container: ${before.name}`;
    }
    if (isSidecar(container)) continue;
    const containers = spec.initContainers ?? [];
    const revived = findRevived(spec, containers, before, status.initContainerStatuses);
    if (revived) return illegalTransition('init container', revived);
  }
  return null;
}

/** The new status of a container that had ended for good and is no longer terminated. */
function findRevived(
  spec: PodSpec,
  containers: readonly Container[],
  before: ContainerStatus,
  after: readonly ContainerStatus[] | undefined,
): ContainerStatus | undefined {
  const terminated = before.state?.terminated;
  if (!terminated) return undefined;
  if (terminated.exitCode !== 0 && spec.restartPolicy === 'OnFailure') return undefined;
  const container = containers.find(({ name }) => name === before.name);
  if (container && restartsAfterExit(container, spec, terminated.exitCode)) return undefined;
  const now = findStatus(after, before.name);
  return now && !now.state?.terminated ? now : undefined;
}

function illegalTransition(kind: string, { name }: ContainerStatus): string {
  return `terminated ${kind} ${name} attempted illegal transition to non-terminated state`;
}
