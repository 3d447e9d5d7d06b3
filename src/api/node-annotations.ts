/** Annotations that podkeep's nodes set on themselves, for podkeep's own scheduler. */

/**
 * `shared`: pods of this node share the network of their machine, so the ports that they declare are
 * ports of the machine. Absent: each pod has separate ports.
 */
export const POD_NETWORK_ANNOTATION = 'podkeep.dev/pod-network';
export const SHARED_POD_NETWORK = 'shared';
