/** Reads the Node from the API for admission. */
import type { AdmissionNode } from '../../core/admission/admission-view.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';

/** Reads the node from the API: its labels may be newer than those that podkeep knows. */
export async function readAdmissionNode(
  api: KubeApi,
  nodeName: string,
): Promise<AdmissionNode | null> {
  const path = `/api/v1/nodes/${encodeURIComponent(nodeName)}`;
  return admissionNodeOf(await api.send({ method: 'GET', path }));
}

/** The API server has validated the Node, so only its shape is checked. */
export function admissionNodeOf(object: JsonObject | null): AdmissionNode | null {
  return object !== null && isNode(object) ? object : null;
}

function isNode(object: JsonObject): object is JsonObject & AdmissionNode {
  return isJsonObject(object['metadata']);
}
