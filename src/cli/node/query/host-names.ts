/** Lists the host names under which clients reach the query API of a node. */
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';

/**
 * The names in the Node's status, and those of the API server: when kube-apiserver proxies a request to the
 * kubelet, it keeps the Host header of its own client.
 */
export function hostNamesOf(
  addresses: Json | undefined,
  { clusterDomain }: Pick<KubeletConfig, 'clusterDomain'>,
  hostNames: readonly string[] = [],
): readonly string[] {
  const own: readonly Json[] = Array.isArray(addresses) ? addresses : [];
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  return [
    ...own.flatMap((one) =>
      isJsonObject(one) && typeof one['address'] === 'string' ? [one['address']] : [],
    ),
    ...hostNames,
    ...service,
    ...(clusterDomain ? [`kubernetes.default.svc.${clusterDomain}`] : []),
  ];
}
