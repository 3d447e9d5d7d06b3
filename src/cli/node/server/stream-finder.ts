/**
 * Finds the pod and container of an exec, attach or port-forward request. The error messages are those of
 * Kubernetes' kubelet.
 */
import type { Kubelet } from '../../../kubelet/kubelet.ts';
import type { FindPod } from '../../../server/streaming/streaming.ts';

export function streamFinder(kubelet: Kubelet): FindPod {
  return async ({ namespace, podName, podUid, container }, kind) => {
    const pod = kubelet.findPod({ namespace, name: podName }, podUid);
    if (!pod) return { code: 404, message: 'pod does not exist' };
    const { containers, sandboxes } = await kubelet.runtime.inspect(pod.metadata.uid ?? '');
    if (kind === 'portForward') {
      const sandbox = sandboxes.find(({ ready }) => ready);
      return sandbox ?? { code: 500, message: `pod not found (${JSON.stringify(podName)})` };
    }
    const running = containers.find(({ name, state }) => name === container && state === 'running');
    if (!running)
      return { code: 500, message: `container not found (${JSON.stringify(container)})` };
    const { spec } = pod;
    const { ephemeralContainers = [], initContainers = [] } = spec;
    const described = [...spec.containers, ...initContainers, ...ephemeralContainers];
    const tty = described.some(({ name, tty = false }: { name: string; tty?: boolean }) => {
      return name === container && tty;
    });
    return { id: running.id, tty };
  };
}
