/**
 * Admission plugin DefaultTolerationSeconds: a pod tolerates a not-ready or unreachable node for five
 * minutes, unless it has its own toleration.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { listOf } from '../objects/metadata.ts';
import { isPod, type Admission, type AdmissionRequest } from '../registry/admission.ts';

const SECONDS = 300;
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export const defaultTolerations: Admission = {
  admit(request: AdmissionRequest): JsonObject {
    const { verb, definition, subresource, object } = request;
    const { spec } = object;
    if (verb === 'delete' || subresource !== null || !isPod(definition)) return object;
    if (!isJsonObject(spec)) return object;
    const tolerations = listOf(spec['tolerations']);
    const missing = TAINTS.filter((taint) => !tolerations.some((one) => tolerates(one, taint)));
    if (missing.length === 0) return object;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: SECONDS,
    }));
    return { ...object, spec: { ...spec, tolerations: [...tolerations, ...added] } };
  },
};

function tolerates(toleration: Json, taint: string): boolean {
  if (!isJsonObject(toleration)) return false;
  const { key = '', effect = '' } = toleration;
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
