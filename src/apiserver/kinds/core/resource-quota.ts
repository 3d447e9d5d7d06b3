/** Defines the kind ResourceQuota: its validation and columns. */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { valueAt } from '../../objects/field-path.ts';
import { withoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import {
  invalidField,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { readTexts } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { formatQuantity } from '../../../api/values/quantity-text.ts';
import { readAmounts, validateNotNegative } from '../../../api/validation/quantities.ts';
import { ZERO_QUANTITY } from '../../../api/values/quantity.ts';

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];

export const resourceQuotas = plainKind('v1', {
  kind: 'ResourceQuota',
  resource: 'resourcequotas',
  shortNames: ['quota'],
  subresources: [statusSubresource('ResourceQuota')],
  rules: {
    prepareForCreate: withoutStatus,
    validate: (object) => [...checkAmounts(object, 'spec.hard'), ...checkScopes(object)],
    validateUpdate: (object, old) => [
      ...checkAmounts(object, 'spec.hard'),
      ...checkScopes(object),
      ...checkSameScopes(object, old),
    ],
    validateStatusUpdate: (object) => [
      ...checkAmounts(object, 'status.hard'),
      ...checkAmounts(object, 'status.used'),
    ],
  },
  columns: [
    NAME,
    textColumn('Request', 'Used and allowed of what is requested or counted.', (object) =>
      printUse(object, (name) => !isLimit(name)),
    ),
    textColumn('Limit', 'Used and allowed of what is limited.', (object) =>
      printUse(object, isLimit),
    ),
    AGE,
  ],
});

function* checkAmounts(object: JsonObject, path: string): FieldErrors {
  for (const [name, amount] of readAmounts(valueAt(object, path))) {
    const field = `${path}[${name}]`;
    yield* validateQualifiedName(name, field);
    yield* validateNotNegative(amount, field);
  }
}

function* checkScopes(object: JsonObject): FieldErrors {
  const scopes = readTexts(valueAt(object, 'spec.scopes'));
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) yield unsupported('spec.scopes', scope, SCOPES);
  }
  for (const [one, other] of [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const) {
    if (!scopes.includes(one) || !scopes.includes(other)) continue;
    yield invalidField('spec.scopes', scopes, 'conflicting scopes');
  }
}

function* checkSameScopes(object: JsonObject, old: JsonObject): FieldErrors {
  const [now, before] = [object, old].map((of) => readTexts(valueAt(of, 'spec.scopes')).toSorted());
  if (jsonEqual(now ?? [], before ?? [])) return;
  yield invalidField('spec.scopes', now, 'field is immutable');
}

function isLimit(name: string): boolean {
  return name.startsWith('limits.');
}

function printUse(object: JsonObject, belongs: (name: string) => boolean): string {
  const used = readAmounts(valueAt(object, 'status.used'));
  const lines = [...readAmounts(valueAt(object, 'status.hard'))].filter(([name]) => belongs(name));
  return lines
    .map(([name, hard]) => {
      const use = formatQuantity(used.get(name) ?? ZERO_QUANTITY);
      return `${name}: ${use}/${formatQuantity(hard)}`;
    })
    .join(', ');
}
