/** Annotations in which the kubelet stores where a pod comes from (KL-60). */

/** `file` or `api`. */
export const CONFIG_SOURCE = 'kubernetes.io/config.source';
/** When this node first saw the pod. */
export const CONFIG_SEEN = 'kubernetes.io/config.seen';
/** Of a static pod: changes with its manifest. */
export const CONFIG_HASH = 'kubernetes.io/config.hash';
/** Of a mirror pod: the hash of the static pod that it was made from. */
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror';
