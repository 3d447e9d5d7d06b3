/**
 * The user name of the API server at kubelets: the common name of its client certificate for them, and of its
 * calls to the kubelet in the same process. kubeadm uses the same name.
 */
export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client';
