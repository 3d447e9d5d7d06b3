/** The texts of rules in CEL, before anybody tries to understand them. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalid,
  required,
  unsupported,
  type Complaints,
} from '../../kinds/validation/complaint.ts';
import { readObjects } from '../../kinds/validation/json-reading.ts';
import { readSchema, type RuleText } from '../schema.ts';
import { walkFieldPath } from './field-path.ts';
import { findUnsupported } from './structural-rules.ts';

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

export function* validateRuleTexts(source: JsonObject, place: string): Complaints {
  if (readObjects(source['x-kubernetes-validations']).length === 0) return;
  for (const [index, rule] of readSchema(source).rules.entries()) {
    const at = `${place}.x-kubernetes-validations[${index}]`;
    yield* validateTexts(rule, at);
    yield* validateFieldPath(source, rule, at);
  }
}

function* validateTexts(text: RuleText, place: string): Complaints {
  const { rule, message, messageExpression, reason } = text;
  if (rule.trim() === '') {
    yield required(`${place}.rule`, 'rule is not specified');
  } else if (message !== '' && message.trim() === '') {
    yield invalid(`${place}.message`, message, 'must be non-empty if specified');
  } else if (hasLineBreak(message.trim())) {
    yield invalid(`${place}.message`, message, 'must not contain line breaks');
  } else if (hasLineBreak(rule.trim()) && message.trim() === '') {
    yield required(`${place}.message`, 'message must be specified if rule contains line breaks');
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    yield required(`${place}.messageExpression`, detail);
  }
  if (reason !== '' && !REASONS.includes(reason)) {
    yield unsupported(`${place}.reason`, reason, REASONS);
  }
}

function* validateFieldPath(
  source: JsonObject,
  { fieldPath }: RuleText,
  place: string,
): Complaints {
  const field = `${place}.fieldPath`;
  if (fieldPath === '') return;
  if (fieldPath.trim() === '') yield invalid(field, fieldPath, 'must be non-empty if specified');
  if (hasLineBreak(fieldPath)) yield invalid(field, fieldPath, 'must not contain line breaks');
  if (findUnsupported(source) !== undefined) return;
  if ('fault' in walkFieldPath(fieldPath, readSchema(source))) {
    yield invalid(field, fieldPath, 'must be a valid path');
  }
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
