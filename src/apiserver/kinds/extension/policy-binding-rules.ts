/** Validates a binding of an admission policy. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readObject, readText, readTexts } from '../../../api/validation/json-reading.ts';
import { validateLabelSelector } from '../../../api/validation/labels.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import { textAt, valueAt } from '../../objects/field-path.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';
import { checkMatchResources, checkMutableOperations } from './match-resources.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const BOTH =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API ' +
  'response and headers serves no purpose)';

export function* checkPolicyBinding(object: JsonObject, isMutating: boolean): FieldErrors {
  const policy = textAt(object, 'spec.policyName');
  if (policy === '') yield required('spec.policyName');
  else yield* invalidFor('spec.policyName', policy, checkDns1123Subdomain(policy));
  const ref = readObject(valueAt(object, 'spec.paramRef'));
  if (ref) yield* checkParamRef(ref);
  const match = readObject(valueAt(object, 'spec.matchResources'));
  if (match) yield* checkMatchResources(match, 'spec.matchResources');
  if (!isMutating) yield* checkActions(readTexts(valueAt(object, 'spec.validationActions')));
  else if (match) yield* checkMutableOperations(match, 'spec.matchResources');
}

function* checkParamRef(ref: JsonObject): FieldErrors {
  const path = 'spec.paramRef';
  const name = readText(ref['name']);
  const exclusive = 'name and selector are mutually exclusive';
  const isSelected = isGiven(ref['selector']);
  yield* invalidFor(`${path}.name`, name, checkPathSegment(name));
  if (name !== '' && isSelected) yield forbiddenField(`${path}.name`, exclusive);
  yield* validateLabelSelector(ref['selector'], `${path}.selector`);
  if (name !== '' && isSelected) yield forbiddenField(`${path}.selector`, exclusive);
  if (name === '' && !isSelected) yield required(path, 'one of name or selector must be specified');
  const action = readText(ref['parameterNotFoundAction']);
  yield* requireOneOf(`${path}.parameterNotFoundAction`, action, NOT_FOUND_ACTIONS);
}

function* checkActions(actions: readonly string[]): FieldErrors {
  const path = 'spec.validationActions';
  const seen = new Set<string>();
  for (const [index, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) yield unsupported(`${path}[${index}]`, action, ACTIONS);
    if (seen.has(action)) yield duplicate(`${path}[${index}]`, action);
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) yield invalidField(path, actions, BOTH);
  if (seen.size === 0) yield required(path, 'at least one validation action is required');
}
