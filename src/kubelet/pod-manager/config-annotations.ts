/** The annotations in which the kubelet stores the source of a pod (KL-60). */

/** `file` or `api`. */
export const CONFIG_SOURCE = 'kubernetes.io/config.source';
/** When this node first saw the pod. */
export const CONFIG_SEEN = 'kubernetes.io/config.seen';
/** On a static pod: a hash of its manifest. */
export const CONFIG_HASH = 'kubernetes.io/config.hash';
/** On a mirror pod: the hash of its static pod. */
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror';
