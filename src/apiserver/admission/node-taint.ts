/**
 * Admission plugin TaintNodesByCondition: taints new nodes as not ready, so that no pod is scheduled there
 * before the node reports Ready. For servers with a node lifecycle controller, which removes the taint.
 */
import type { JsonObject } from '../../lib/json.ts';
import { objectsAt, structAt } from '../objects/field-path.ts';
import { nodes } from '../kinds/core/node.ts';
import type { Admission } from '../registry/admission.ts';

const TAINT: JsonObject = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeTaint: Admission = {
  admit({ verb, definition, object }) {
    if (verb !== 'create' || definition.kind !== nodes.kind || definition.group !== '')
      return object;
    const taints = objectsAt(object, 'spec.taints');
    const isTainted = taints.some(({ key, effect }) => {
      return key === TAINT['key'] && effect === TAINT['effect'];
    });
    if (isTainted) return object;
    return { ...object, spec: { ...structAt(object, 'spec'), taints: [...taints, TAINT] } };
  },
};
