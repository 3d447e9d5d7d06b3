/** Who is meant by a request for exec, attach or port-forward, in the kubelet's words. */
import type { Kubelet } from '../../kubelet/kubelet.ts';
import type { FindPod } from '../../server/streaming/streaming.ts';

export function streamFinder({ engine }: Kubelet): FindPod {
  return async ({ namespace, podName, podUid, container }, kind) => {
    const known = engine.pods.findByName({ namespace, name: podName });
    // A mirror's UID means its static pod.
    const uid = known?.pod.metadata.uid ?? '';
    const isMeant = podUid === null || engine.pods.sourceUidOf(podUid) === uid;
    if (!known || !isMeant) return { code: 404, message: 'pod does not exist' };
    const { containers, sandboxes } = await engine.runtime.inspect(uid);
    if (kind === 'portForward') {
      const sandbox = sandboxes.find(({ ready }) => ready);
      return sandbox ?? { code: 500, message: `pod not found (${JSON.stringify(podName)})` };
    }
    const running = containers.find(({ name, state }) => name === container && state === 'running');
    if (!running)
      return { code: 500, message: `container not found (${JSON.stringify(container)})` };
    const { spec } = known.pod;
    const { ephemeralContainers = [], initContainers = [] } = spec;
    const described = [...spec.containers, ...initContainers, ...ephemeralContainers];
    const tty = described.some(({ name, tty = false }: { name: string; tty?: boolean }) => {
      return name === container && tty;
    });
    return { id: running.id, tty };
  };
}
