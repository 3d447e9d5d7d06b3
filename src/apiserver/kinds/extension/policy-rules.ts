/**
 * Validates an admission policy. Every expression is compiled when the policy is written, so that its author
 * learns of mistakes at once.
 *
 * As in kube-apiserver, the CEL variable `variables` exists only in validating policies that define
 * variables, and in all mutating policies. Match conditions are checked only if they have changed.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { BOOL, STRING } from '../../../cel/cel.ts';
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readObject, readText } from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';
import { isFaulty } from '../../expressions/admission-expression.ts';
import type { ExpressionScope } from '../../expressions/admission-types.ts';
import { composeVariables } from '../../expressions/policy-variables.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { validateOneOf } from '../required-fields.ts';
import { checkMatchConditions } from './match-conditions.ts';
import { checkMatchResources } from './match-resources.ts';
import { checkParamKind } from './param-kind.ts';
import { checkExpression } from './policy-expressions.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ANNOTATIONS_MAX = 20;
const ANNOTATION_BYTES_MAX = 5 * 1024;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace ' +
    'return var void while'
  ).split(' '),
);

/** The checks that validating and mutating policies share, in kube-apiserver's order. */
export function* checkPolicy(object: JsonObject): FieldErrors {
  yield* validateOneOf(object, 'spec.failurePolicy', FAILURE_POLICIES);
  const paramKind = readObject(valueAt(object, 'spec.paramKind'));
  if (paramKind) yield* checkParamKind(paramKind, 'spec.paramKind');
  const match = readObject(valueAt(object, 'spec.matchConstraints'));
  if (!match) yield required('spec.matchConstraints');
  else {
    yield* checkMatchResources(match, 'spec.matchConstraints');
    if (objectsAt(match, 'resourceRules').length === 0) {
      yield required('spec.matchConstraints.resourceRules');
    }
  }
}

export function* checkConditionsOf(object: JsonObject, old: JsonObject | null): FieldErrors {
  const isSame = (path: string): boolean =>
    old !== null && jsonEqual(valueAt(object, path) ?? null, valueAt(old, path) ?? null);
  if (isSame('spec.paramKind') && isSame('spec.matchConditions')) return;
  const conditions = objectsAt(object, 'spec.matchConditions');
  yield* checkMatchConditions(conditions, 'spec.matchConditions', baseScope(object));
}

export function* checkValidatingPolicy(object: JsonObject, old: JsonObject | null): FieldErrors {
  yield* checkPolicy(object);
  yield* checkConditionsOf(object, old);
  yield* checkVariables(object);
  const scope = validatingScope(object);
  const validations = objectsAt(object, 'spec.validations');
  const annotations = objectsAt(object, 'spec.auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    yield required('spec.validations', detail);
    yield required('spec.auditAnnotations', detail);
  }
  for (const [index, validation] of validations.entries()) {
    yield* checkValidation(validation, scope, `spec.validations[${index}]`);
  }
  yield* checkAnnotations(annotations, nameOf(object), scope);
}

export function baseScope(policy: JsonObject): ExpressionScope {
  return { hasParams: isGiven(valueAt(policy, 'spec.paramKind')), hasAuthorizer: true };
}

function validatingScope(policy: JsonObject): ExpressionScope {
  const variables = objectsAt(policy, 'spec.variables');
  const base = baseScope(policy);
  return variables.length === 0 ? base : composeVariables(variables, base).scope;
}

export function* checkVariables(object: JsonObject): FieldErrors {
  const spec = objectsAt(object, 'spec.variables');
  const { variables } = composeVariables(spec, baseScope(object));
  for (const [index, { name, text, compiled }] of variables.entries()) {
    const path = `spec.variables[${index}]`;
    if (name.trim() === '') yield required(`${path}.name`, 'name is not specified');
    else if (!IDENTIFIER.test(name) || RESERVED.has(name)) {
      yield invalidField(`${path}.name`, name, 'must be a valid CEL identifier');
    }
    if (text.trim() === '') yield required(`${path}.expression`, 'expression is not specified');
    else if (isFaulty(compiled)) yield invalidField(`${path}.expression`, text, compiled.fault);
  }
}

function* checkValidation(
  validation: JsonObject,
  scope: ExpressionScope,
  path: string,
): FieldErrors {
  const text = readText(validation['expression']);
  if (text.trim() === '') yield required(`${path}.expression`, 'expression is not specified');
  else yield* checkExpression(text, scope, [BOOL], `${path}.expression`);
  const computed = readText(validation['messageExpression']);
  const nonEmpty = 'must be non-empty if specified';
  if (computed !== '' && computed.trim() === '') {
    yield invalidField(`${path}.messageExpression`, computed, nonEmpty);
  } else if (computed !== '') {
    const seen = { ...scope, hasAuthorizer: false };
    yield* checkExpression(computed, seen, [STRING], `${path}.messageExpression`);
  }
  const message = readText(validation['message']);
  if (message !== '' && message.trim() === '') {
    yield invalidField(`${path}.message`, message, nonEmpty);
  } else if (/[\n\r]/.test(message.trim())) {
    yield invalidField(`${path}.message`, message, 'must not contain line breaks');
  }
  const { reason } = validation;
  if (isGiven(reason) && !REASONS.includes(readText(reason))) {
    yield unsupported(`${path}.reason`, reason, REASONS);
  }
}

function* checkAnnotations(
  annotations: readonly JsonObject[],
  policy: string,
  scope: ExpressionScope,
): FieldErrors {
  const path = 'spec.auditAnnotations';
  if (annotations.length > ANNOTATIONS_MAX) {
    const detail = `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`;
    yield invalidField(path, annotations, detail);
  }
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const key = readText(annotation['key']);
    const text = readText(annotation['valueExpression']);
    const field = `${path}[${index}]`;
    if (policy === '') {
      yield invalidField(`${field}.key`, key, 'requires metadata.name be non-empty');
    } else yield* validateQualifiedName(`${policy}/${key}`, `${field}.key`);
    yield* checkValueExpression(text, scope, `${field}.valueExpression`);
    if (keys.has(key)) yield duplicate(`${field}.key`, key);
    keys.add(key);
  }
}

function* checkValueExpression(text: string, scope: ExpressionScope, path: string): FieldErrors {
  const trimmed = text.trim();
  if (trimmed === '') yield required(path, 'valueExpression is not specified');
  else if (Buffer.byteLength(trimmed) > ANNOTATION_BYTES_MAX) {
    yield required(path, `must not exceed ${ANNOTATION_BYTES_MAX} bytes in length`);
  } else yield* checkExpression(text, scope, [STRING, { kind: 'null' }], path, trimmed);
}
