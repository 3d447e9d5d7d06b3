/** The labels and annotations by which a kubelet identifies sandboxes and containers. */

export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';

export const HASH = 'io.kubernetes.container.hash';
export const RESTART_COUNT = 'io.kubernetes.container.restartCount';
export const TERMINATION_MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
