/** Stops one container of a pod, or all containers of the node, without terminating the pods. */
import type { Pod } from '../api/pod.ts';
import type { PodReference } from '../api/pod-reference.ts';
import type { Log } from '../ports/log.ts';
import type { RuntimePodEntry } from '../ports/runtime/pod-runtime.ts';
import type { PodEngine } from './pod-engine.ts';

/**
 * Stops a running container of a pod that keeps running. Resolves with false if it does not run, or if the
 * pod is terminating.
 */
export async function stopContainerOf(
  { cache, runner, workers }: Pick<PodEngine, 'cache' | 'runner' | 'workers'>,
  pod: Pod,
  name: string,
  message: string,
  signal: AbortSignal,
): Promise<boolean> {
  const uid = pod.metadata.uid ?? '';
  if (workers.isPodTerminationRequested(uid)) return false;
  const running = cache
    .peek(uid)
    ?.containers.find((container) => container.name === name && container.state === 'running');
  if (!running) return false;
  await runner.stopContainer(pod, { id: running.id, name, message, graceSeconds: null }, signal);
  return true;
}

/** `remaining` is called with the pods that still run, at the beginning and whenever one has stopped. */
export async function stopContainersOf(
  { runtime, pods, runner }: Pick<PodEngine, 'runtime' | 'pods' | 'runner'>,
  log: Log,
  signal: AbortSignal,
  remaining: (pods: readonly PodReference[]) => void,
): Promise<void> {
  const listed = await runtime.list();
  const running = new Set(listed.filter(hasRunningContainer));
  remaining([...running]);
  const work = listed.map(async (entry) => {
    const { uid, name, namespace, pod: runtimePod } = entry;
    const reference = { uid, name, namespace };
    const pod = pods.find(uid)?.pod ?? null;
    try {
      await runner.stopPod({ reference, pod }, runtimePod, pod ? null : 1, signal);
    } catch (error) {
      if (!signal.aborted) log.warn('Failed to stop pod', { pod: reference, error });
    }
    if (running.delete(entry)) remaining([...running]);
  });
  await Promise.all(work);
}

function hasRunningContainer({ pod }: RuntimePodEntry): boolean {
  return pod.containers.some(({ state }) => state === 'running');
}
