/** The runtime's status as podkeep reads it. */
import type { RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';
import type { Sent } from './messages/message.ts';
import type { StatusResponse } from './messages/runtime-messages.ts';

/** The first version that mounts images. CRI has no field for it. */
const IMAGE_VOLUMES_SINCE: Readonly<Record<string, readonly [number, number]>> = {
  containerd: [2, 1],
  'cri-o': [1, 31],
};

/** Before, containerd ignores the sub path and mounts the whole image. */
const IMAGE_SUB_PATHS_SINCE: typeof IMAGE_VOLUMES_SINCE = {
  containerd: [2, 2],
  'cri-o': [1, 33],
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
  // The first handler is used for pods that ask for none.
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
      // A runtime that does not know the feature does not report it.
      ...(features && { hasSupplementalGroupsPolicy: features.supplementalGroupsPolicy }),
      hasImageVolumes: isSince(IMAGE_VOLUMES_SINCE[name], version),
      hasImageSubPaths: isSince(IMAGE_SUB_PATHS_SINCE[name], version),
    },
    handlers: runtimeHandlers.map((each) => ({
      name: each.name,
      hasRecursiveReadOnly: each.features?.recursiveReadOnlyMounts ?? false,
      hasUserNamespaces: each.features?.userNamespaces ?? false,
    })),
  };
}

/** A runtime that podkeep does not know is expected to follow the CRI. */
function isSince(since: readonly [number, number] | undefined, version: string): boolean {
  const [sinceMajor, sinceMinor] = since ?? [0, 0];
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
