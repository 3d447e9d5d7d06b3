/**
 * The user that the API server is to kubelets: the common name of its client certificate for them, and of
 * its calls to the kubelet in the same process. The name is the one that kubeadm gives it.
 */
export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client';
