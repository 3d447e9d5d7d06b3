/**
 * Decides whether a pod needs a new sandbox (SM-118).
 *
 * `sandboxID` is the ID of the current sandbox. It is empty if there is none, or if its network namespace is
 * wrong: such a sandbox is stopped with everything else.
 */
import type { Pod } from '../../api/pod.ts';
import type { RuntimePod } from '../../api/runtime-pod.ts';

export interface SandboxChange {
  readonly needed: boolean;
  /** The number that the next sandbox gets, or that the present one has. */
  readonly attempt: number;
  readonly sandboxID: string;
}

export function sandboxChange(pod: Pod, { sandboxes }: RuntimePod): SandboxChange {
  const [newest] = sandboxes;
  if (!newest) return { needed: true, attempt: 0, sandboxID: '' };
  const { id, attempt, ready, hostNetwork, ip } = newest;

  const severalReady = sandboxes.filter((sandbox) => sandbox.ready).length > 1;
  if (severalReady || !ready) return { needed: true, attempt: attempt + 1, sandboxID: id };

  const wantsHostNetwork = pod.spec.hostNetwork ?? false;
  if (hostNetwork !== wantsHostNetwork)
    return { needed: true, attempt: attempt + 1, sandboxID: '' };

  const hasNoAddress = !wantsHostNetwork && ip === '';
  if (hasNoAddress) return { needed: true, attempt: attempt + 1, sandboxID: id };
  return { needed: false, attempt, sandboxID: id };
}
