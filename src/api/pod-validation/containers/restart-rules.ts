/** Validates the restart policy of a container and its restart rules (by exit code). */
import type { JsonObject } from '../../../lib/json.ts';
import { required, tooMany, unsupported, type FieldErrors } from '../../validation/field-errors.ts';
import {
  isGiven,
  readList,
  readObject,
  readObjects,
  readText,
} from '../../validation/json-reading.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;

/** Restart rules require a restart policy, which they override. */
export function* validateContainerRestartPolicy(container: JsonObject, path: string): FieldErrors {
  const { restartPolicy } = container;
  const rules = readObjects(container['restartPolicyRules']);
  if (!isGiven(restartPolicy)) {
    if (rules.length === 0) return;
    yield required(
      `${path}.restartPolicy`,
      'must specify restartPolicy when restart rules are used',
    );
  } else if (!POLICIES.includes(readText(restartPolicy))) {
    yield unsupported(`${path}.restartPolicy`, readText(restartPolicy), POLICIES);
  }
  if (rules.length > RULES_MAX) {
    yield tooMany(`${path}.restartPolicyRules`, rules.length, RULES_MAX);
  }
  for (const [index, rule] of rules.entries()) {
    yield* validateRule(rule, `${path}.restartPolicyRules[${index}]`);
  }
}

/** The same for an init container. Without a policy, its rules are not validated further. */
export function* validateInitRestartPolicy(container: JsonObject, path: string): FieldErrors {
  if (isGiven(container['restartPolicy'])) {
    yield* validateContainerRestartPolicy(container, path);
  } else if (readObjects(container['restartPolicyRules']).length > 0) {
    yield required(
      `${path}.restartPolicy`,
      'must specify restartPolicy when restart rules are used',
    );
  }
}

function* validateRule(rule: JsonObject, path: string): FieldErrors {
  const action = readText(rule['action']);
  if (!ACTIONS.includes(action)) yield unsupported(`${path}.action`, action, ACTIONS);
  const exitCodes = readObject(rule['exitCodes']);
  if (!exitCodes) {
    yield required(`${path}.exitCodes`, 'must be specified');
    return;
  }
  const operator = readText(exitCodes['operator']);
  if (!OPERATORS.includes(operator)) {
    yield unsupported(`${path}.exitCodes.operator`, operator, OPERATORS);
  }
  const count = readList(exitCodes['values']).length;
  if (count > EXIT_CODES_MAX) yield tooMany(`${path}.exitCodes.values`, count, EXIT_CODES_MAX);
}
