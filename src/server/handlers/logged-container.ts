/**
 * Finds the container whose log a request asks for: the current run, or the previous one. It is looked up in
 * the pod's status, because that is what the client has seen.
 */
import type { ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';

export type LoggedContainer = { readonly id: string } | { readonly problem: string };

const WAITING: ReadonlyMap<string, string> = new Map([
  ['ErrImagePull', "image can't be pulled"],
  ['ImagePullBackOff', 'trying and failing to pull image'],
]);

export function hasContainer({ spec }: Pod, name: string): boolean {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  return [...containers, ...initContainers, ...ephemeralContainers].some(
    (container) => container.name === name,
  );
}

export function loggedContainer(pod: Pod, name: string, previous: boolean): LoggedContainer {
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
  const status = statusOf(pod.status ?? {}, name);
  if (!status) return { problem: `${where} is not available` };
  const { state = {}, lastState = {}, containerID = '' } = status;
  const last = lastState.terminated?.containerID ?? '';
  if (previous) {
    return last === '' ? { problem: `previous terminated ${where} not found` } : { id: last };
  }
  if (state.running) return { id: containerID };
  if (state.terminated) {
    // A run that never started has no container ID; the log is that of the run before.
    const id = (state.terminated.containerID ?? '') || last;
    return id === '' ? { problem: `${where} is terminated` } : { id };
  }
  if (lastState.terminated)
    return last === '' ? { problem: `${where} is terminated` } : { id: last };
  if (!state.waiting) return { problem: `${where} is waiting to start - no logs yet` };
  const { reason = '' } = state.waiting;
  return { problem: `${where} is waiting to start: ${WAITING.get(reason) ?? reason}` };
}

function statusOf(status: PodStatus, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = status;
  const { ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (each) => each.name === name,
  );
}
