/** Finds the address of a node's kubelet in the status of the Node. */
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';

export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The order that kubeadm configures for kube-apiserver: addresses before names. A node chooses its own name,
 * and other machines often cannot resolve it.
 */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];
const KUBELET_PORT = 10_250;

/** Null: the node has no address of a known type. */
export function kubeletAddressOf(node: JsonObject): KubeletAddress | null {
  const status = objectIn(node, 'status');
  const addresses = Array.isArray(status['addresses']) ? status['addresses'] : [];
  for (const type of ADDRESS_TYPES) {
    const found = addresses.find((one: Json) => isJsonObject(one) && one['type'] === type);
    const host = isJsonObject(found) ? found['address'] : undefined;
    if (typeof host === 'string') return { host, port: portIn(status) };
  }
  return null;
}

function portIn(status: JsonObject): number {
  const { Port: port } = objectIn(objectIn(status, 'daemonEndpoints'), 'kubeletEndpoint');
  return typeof port === 'number' && port > 0 ? port : KUBELET_PORT;
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
}
