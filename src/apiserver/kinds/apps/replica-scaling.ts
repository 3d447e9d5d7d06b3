/** Defines the scale subresource of workloads that have `spec.replicas`. */
import type { JsonObject } from '../../../lib/json.ts';
import { scaleSubresource, type Scaling } from '../../registry/scale.ts';
import { selectorText } from '../../objects/columns.ts';
import { changeStructAt, numberAt, valueAt } from '../../objects/field-path.ts';
import { withField } from '../../../api/validation/json-changes.ts';

export function replicaScaling(selector: (object: JsonObject) => string): Scaling {
  return {
    replicas: (object) => numberAt(object, 'spec.replicas'),
    observedReplicas: (object) => numberAt(object, 'status.replicas'),
    selector,
    withReplicas: (object, replicas) =>
      changeStructAt(object, 'spec', (spec) => withField(spec, 'replicas', replicas)),
  };
}

export const replicasScale = scaleSubresource(
  replicaScaling((object) => selectorText(valueAt(object, 'spec.selector'))),
);
