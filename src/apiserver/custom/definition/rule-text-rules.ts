/** Validates the texts of CEL rules before they are compiled. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { readObjects } from '../../../api/validation/json-reading.ts';
import { readSchema, type RuleText } from '../../schema/schema.ts';
import { walkFieldPath } from '../../schema/rule-field-path.ts';
import { findUnsupported } from './structural-rules.ts';

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

export function* validateRuleTexts(source: JsonObject, path: string): FieldErrors {
  if (readObjects(source['x-kubernetes-validations']).length === 0) return;
  for (const [index, rule] of readSchema(source).rules.entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    yield* validateTexts(rule, at);
    yield* validateFieldPath(source, rule, at);
  }
}

function* validateTexts(text: RuleText, path: string): FieldErrors {
  const { rule, message, messageExpression, reason } = text;
  if (rule.trim() === '') {
    yield required(`${path}.rule`, 'rule is not specified');
  } else if (message !== '' && message.trim() === '') {
    yield invalidField(`${path}.message`, message, 'must be non-empty if specified');
  } else if (hasLineBreak(message.trim())) {
    yield invalidField(`${path}.message`, message, 'must not contain line breaks');
  } else if (hasLineBreak(rule.trim()) && message.trim() === '') {
    yield required(`${path}.message`, 'message must be specified if rule contains line breaks');
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    yield required(`${path}.messageExpression`, detail);
  }
  if (reason !== '' && !REASONS.includes(reason)) {
    yield unsupported(`${path}.reason`, reason, REASONS);
  }
}

function* validateFieldPath(
  source: JsonObject,
  { fieldPath }: RuleText,
  path: string,
): FieldErrors {
  const field = `${path}.fieldPath`;
  if (fieldPath === '') return;
  if (fieldPath.trim() === '')
    yield invalidField(field, fieldPath, 'must be non-empty if specified');
  if (hasLineBreak(fieldPath)) yield invalidField(field, fieldPath, 'must not contain line breaks');
  if (findUnsupported(source) !== undefined) return;
  if ('fault' in walkFieldPath(fieldPath, readSchema(source))) {
    yield invalidField(field, fieldPath, 'must be a valid path');
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
