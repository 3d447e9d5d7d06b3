/** What the runtime says of itself. */
import type { RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';
import type { Sent } from './messages/message.ts';
import type { StatusResponse } from './messages/runtime-messages.ts';

/** The first version that mounts images. CRI has no word for it. */
const IMAGE_VOLUMES_SINCE: Readonly<Record<string, readonly [number, number]>> = {
  containerd: [2, 1],
  'cri-o': [1, 31],
};

export function viewStatus(
  { status, runtimeHandlers, features }: Sent<typeof StatusResponse>,
  name: string,
  version: string,
): RuntimeStatus {
  const conditions = status?.conditions ?? [];
  const runtime = conditions.find(({ type }) => type === 'RuntimeReady');
  const network = conditions.find(({ type }) => type === 'NetworkReady');
  const fault = [runtime, network].find((each) => each && !each.status);
  // The first of them is the one that is used when a pod asks for none.
  const handler = runtimeHandlers.find((each) => each.name === '') ?? runtimeHandlers[0];
  return {
    isReady: runtime?.status ?? false,
    isNetworkReady: network?.status ?? false,
    ...(fault && { reason: fault.reason, message: fault.message }),
    features: {
      enforcesCpu: true,
      enforcesMemory: true,
      hasMounts: true,
      hasPodAddresses: true,
      hasRecursiveReadOnly: handler?.features?.recursiveReadOnlyMounts ?? false,
      // A runtime that knows nothing of it says nothing about it.
      ...(features && { hasSupplementalGroupsPolicy: features.supplementalGroupsPolicy }),
      hasImageVolumes: mountsImages(name, version),
    },
    handlers: runtimeHandlers.map((each) => ({
      name: each.name,
      hasRecursiveReadOnly: each.features?.recursiveReadOnlyMounts ?? false,
      hasUserNamespaces: each.features?.userNamespaces ?? false,
    })),
  };
}

function mountsImages(name: string, version: string): boolean {
  const [sinceMajor, sinceMinor] = IMAGE_VOLUMES_SINCE[name] ?? [0, 0];
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
