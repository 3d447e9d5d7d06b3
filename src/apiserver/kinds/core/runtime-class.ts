/** Defines the kind RuntimeClass: its validation and columns. */
import { checkDns1123Label } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { validateTolerations } from '../../../api/pod-validation/scheduling/tolerations.ts';
import { invalidFor, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { validateLabels } from '../../../api/validation/labels.ts';
import { readAmounts, validateNotNegative } from '../../../api/validation/quantities.ts';

export const runtimeClasses = plainKind('node.k8s.io/v1', {
  kind: 'RuntimeClass',
  resource: 'runtimeclasses',
  rules: {
    versionRequired: true,
    createsOnUpdate: true,
    validate: (object) => [...checkClass(object)],
    validateUpdate: (object, old) => [...validateUnchanged(object, old, ['handler'])],
  },
  columns: [
    NAME,
    textColumn('Handler', 'What the runtime is called on the node.', (object) =>
      textAt(object, 'handler'),
    ),
    AGE,
  ],
});

function* checkClass(object: JsonObject): FieldErrors {
  const handler = textAt(object, 'handler');
  if (handler === '') yield required('handler');
  else yield* invalidFor('handler', handler, checkDns1123Label(handler));
  for (const [name, amount] of readAmounts(valueAt(object, 'overhead.podFixed'))) {
    yield* validateNotNegative(amount, `overhead.podFixed.${name}`);
  }
  yield* validateLabels(valueAt(object, 'scheduling.nodeSelector'), 'scheduling.nodeSelector');
  const tolerations = valueAt(object, 'scheduling.tolerations');
  yield* validateTolerations(tolerations, 'scheduling.tolerations');
}
