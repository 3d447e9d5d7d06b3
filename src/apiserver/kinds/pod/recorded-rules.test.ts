/**
 * What the validation of Kubernetes v1.36.4 itself reports about random pods, one case for each error.
 * Privileged containers were allowed, and four features that are off by default were on: stop signals, trust
 * bundles and pod certificates as files, and groups of pods.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/support/deep-freeze.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  fieldErrorMessage,
  fieldErrorReason,
  type FieldError,
} from '../../../api/validation/field-error.ts';
import { defaultPod } from '../../../api/pod-validation/defaults/pod-defaults.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './preparation.ts';
import { validatePodStatusUpdate } from './status/status-validation.ts';
import { POD_SUBRESOURCES } from './subresources.ts';
import { validatePod, validatePodUpdate } from '../../../api/pod-validation/pod-validation.ts';
import { podWarnings } from './warnings/pod-warnings.ts';

interface RecordedRule {
  readonly op: string;
  readonly pod: JsonObject;
  readonly old?: JsonObject;
  readonly errors: readonly (readonly [type: string, field: string, message: string])[];
  readonly warnings?: readonly string[];
}

const cases: readonly RecordedRule[] = readFileSync(
  new URL('recorded-rules.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function evaluate({ op, pod, old = {} }: RecordedRule): readonly FieldError[] {
  const [next, before] = [defaultPod(deepFreeze(pod)), deepFreeze(defaultPod(deepFreeze(old)))];
  if (op === 'create') return validatePod(prepareForCreate(next));
  if (op === 'update') return validatePodUpdate(prepareForUpdate(next, before), before);
  if (op === 'status') return validatePodStatusUpdate(prepareForStatusUpdate(next, before), before);
  const rules = POD_SUBRESOURCES.get(op);
  return rules?.validate(rules.prepare(next, before), before) ?? [];
}

function print(error: FieldError): readonly string[] {
  return [
    fieldErrorReason(error).replace(/^FieldValue/, ''),
    error.field,
    fieldErrorMessage(error),
  ];
}

function titleOf({ errors, warnings = [] }: RecordedRule): string {
  const [[, field, message] = ['', '', warnings[0] ?? '']] = errors;
  return `${field} ${message}`.slice(0, 100).replaceAll('\n', ' ').replaceAll('%', '%%');
}

const OPERATIONS = ['create', 'update', 'status', 'ephemeralcontainers', 'resize'];

describe.each(OPERATIONS)('on %s', (operation) => {
  const own = cases.filter(({ op }) => op === operation);

  test.each(own.map((one, index) => [`${index}: ${titleOf(one)}`, one] as const))(
    '%s',
    (_title, one) => {
      expect(evaluate(one).map(print)).toEqual(one.errors);
    },
  );
});

describe('warnings about new pods', () => {
  const created = cases.filter(({ op }) => op === 'create');

  test.each(created.map((one, index) => [`${index}: ${titleOf(one)}`, one] as const))(
    '%s',
    (_title, { pod, warnings = [] }) => {
      const warned = podWarnings(prepareForCreate(defaultPod(pod)));
      expect([...warned].sort()).toEqual(warnings);
    },
  );
});
