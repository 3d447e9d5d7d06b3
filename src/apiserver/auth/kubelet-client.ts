/**
 * The user name with which the API server authenticates at kubelets: the common name of its client
 * certificate, and the user of its calls to a kubelet in the same process. kubeadm uses the same name.
 */
export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client';
