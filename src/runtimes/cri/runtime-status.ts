/** Converts CRI's StatusResponse to podkeep's RuntimeStatus. */
import type { RuntimeStatus } from '../../ports/runtime/pod-runtime.ts';
import type { Sent } from './messages/message.ts';
import type { StatusResponse } from './messages/runtime-messages.ts';

/** The first version of each runtime that mounts image volumes. CRI has no field for this feature. */
const IMAGE_VOLUMES_SINCE: Readonly<Record<string, readonly [number, number]>> = {
  containerd: [2, 1],
  'cri-o': [1, 31],
};

/**
 * The first version that honours subPath in image volumes. Earlier ones of containerd mount the whole image.
 */
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
  // Pods without a RuntimeClass use the unnamed handler.
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
      // Absent: the runtime is too old to report features.
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

/** A runtime that is not in the table is expected to support the feature, as CRI v1 requires. */
function isSince(since: readonly [number, number] | undefined, version: string): boolean {
  const [sinceMajor, sinceMinor] = since ?? [0, 0];
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
