/** How workloads that count their pods in `spec.replicas` are scaled. */
import type { JsonObject } from '../../lib/json.ts';
import { scaleSubresource, type Scaling } from '../scale.ts';
import { selectorText } from './columns.ts';
import { changeStructAt, numberAt, valueAt } from './field-path.ts';
import { withField } from './validation/json-changes.ts';

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
