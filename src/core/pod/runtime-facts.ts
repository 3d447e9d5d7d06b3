/** Small predicates about the runtime's view of a pod. */
import type { Container, Pod } from '../../api/pod.ts';
import type { RuntimeContainer, RuntimePod } from '../../api/runtime-pod.ts';
import { initAndRegularContainers, isBeingDeleted } from './pod-facts.ts';
import { restartsAfterExit } from '../pod-actions/restart-policy.ts';

/** The newest container of that name, running or not. */
export function findNewest(runtime: RuntimePod, name: string): RuntimeContainer | undefined {
  return runtime.containers.find((container) => container.name === name);
}

/** Should this container be started in the next sync (KL-42)? */
export function shouldBeStarted(pod: Pod, container: Container, runtime: RuntimePod): boolean {
  if (isBeingDeleted(pod)) return false;
  const newest = findNewest(runtime, container.name);
  if (!newest) return true;
  switch (newest.state) {
    case 'running':
      return false;
    case 'created':
    case 'unknown':
      return true;
    case 'exited':
      return restartsAfterExit(container, pod.spec, newest.exitCode ?? 0);
  }
}

/** Was any regular container created (its state may be anything but unknown)? */
export function hasRegularContainerBeenCreated({ spec }: Pod, runtime: RuntimePod): boolean {
  return spec.containers.some(({ name }) => {
    const newest = findNewest(runtime, name);
    return newest !== undefined && newest.state !== 'unknown';
  });
}

/** Does a regular container exist in the sandbox that is in use (E-22)? */
export function hasActiveRegularContainer({ spec }: Pod, runtime: RuntimePod): boolean {
  const [sandbox] = runtime.sandboxes;
  if (!sandbox?.ready) return false;
  const regular = new Set(spec.containers.map(({ name }) => name));
  return runtime.containers.some(
    ({ name, sandboxID }) => sandboxID === sandbox.id && regular.has(name),
  );
}

/** Are all init and regular containers gone from the runtime (SM-119)? */
export function areContainersCleanedUp({ spec }: Pod, runtime: RuntimePod): boolean {
  return initAndRegularContainers(spec).every(({ name }) => !findNewest(runtime, name));
}
