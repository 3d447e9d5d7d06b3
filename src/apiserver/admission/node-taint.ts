/**
 * Nothing is scheduled to a new node before it has said that it is ready. For servers with a controller
 * inside that takes the taint away then.
 */
import type { JsonObject } from '../../lib/json.ts';
import { objectsAt, structAt } from '../kinds/field-path.ts';
import { nodes } from '../kinds/node.ts';
import type { Admission } from './admission.ts';

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
