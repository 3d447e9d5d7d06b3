/** Converts the configuration to the form in which /configz of Kubernetes' kubelet shows it. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { kubeletSection, type KubeletConfig } from './kubelet-config.ts';

export function configzOf(config: KubeletConfig): JsonObject {
  const fields = kubeletSection.write(config);
  const kubeletconfig = {
    kind: 'KubeletConfiguration',
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    ...(isJsonObject(fields) ? fields : {}),
  };
  return { kubeletconfig };
}
