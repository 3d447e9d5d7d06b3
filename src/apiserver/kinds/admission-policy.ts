/**
 * Admission policies and their bindings: rules in CEL that objects must pass, or that change them.
 *
 * They are kept and served as they are. This server does not enforce them.
 */
import type { JsonObject } from '../../lib/json.ts';
import type { KindDefinition } from '../kind.ts';
import { integerColumn, selectorText, textColumn } from './columns.ts';
import { changeGivenAt, changeStructAt, objectsAt, textAt, valueAt } from './field-path.ts';
import { startGenerations, startWithoutStatus } from './lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from './plain-kind.ts';
import { validateOneOf, validateRequired } from './required-fields.ts';
import { required, type Complaints } from './validation/complaint.ts';
import { changeObjects, fillAbsent } from './validation/json-changes.ts';
import { isGiven, readObject } from './validation/json-reading.ts';

type Prefix = 'Mutating' | 'Validating';

const GROUP = 'admissionregistration.k8s.io/v1';
const FAILURE_POLICIES = ['Fail', 'Ignore'];

export const validatingAdmissionPolicies = policies('Validating', 'validations');
export const mutatingAdmissionPolicies = policies('Mutating', 'mutations');
export const validatingAdmissionPolicyBindings = policyBindings('Validating');
export const mutatingAdmissionPolicyBindings = policyBindings('Mutating');

function policies(prefix: Prefix, list: 'validations' | 'mutations'): KindDefinition {
  const kind = `${prefix}AdmissionPolicy`;
  const hasStatus = prefix === 'Validating';
  return plainKind(GROUP, {
    kind,
    resource: `${prefix.toLowerCase()}admissionpolicies`,
    categories: ['api-extensions'],
    ...(hasStatus && { subresources: [statusSubresource(kind)] }),
    rules: {
      versionRequired: true,
      applyDefaults: (object) =>
        changeGivenAt(
          changeStructAt(object, 'spec', (spec) => fillAbsent(spec, { failurePolicy: 'Fail' })),
          'spec.matchConstraints',
          defaultMatch,
        ),
      prepareForCreate: hasStatus ? startWithoutStatus : startGenerations,
      validate: (object) => [...checkPolicy(object, list)],
      validateUpdate: (object) => [...checkPolicy(object, list)],
    },
    columns: [
      NAME,
      integerColumn(
        list === 'validations' ? 'Validations' : 'Mutations',
        'How many rules it has.',
        (object) => objectsAt(object, `spec.${list}`).length,
      ),
      textColumn('ParamKind', 'What its parameters are.', printParamKind),
      AGE,
    ],
  });
}

function policyBindings(prefix: Prefix): KindDefinition {
  return plainKind(GROUP, {
    kind: `${prefix}AdmissionPolicyBinding`,
    resource: `${prefix.toLowerCase()}admissionpolicybindings`,
    categories: ['api-extensions'],
    rules: {
      versionRequired: true,
      applyDefaults: (object) => changeGivenAt(object, 'spec.matchResources', defaultMatch),
      prepareForCreate: startGenerations,
      validate: (object) => [...checkBinding(object, prefix)],
      validateUpdate: (object) => [...checkBinding(object, prefix)],
    },
    columns: [
      NAME,
      textColumn('PolicyName', 'The policy.', (object) => textAt(object, 'spec.policyName')),
      textColumn('ParamRef', 'Its parameters.', printParamRef),
      AGE,
    ],
  });
}

function defaultMatch(match: JsonObject): JsonObject {
  const filled = fillAbsent(match, {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  });
  const scoped = changeObjects(filled, 'resourceRules', (rule) => fillAbsent(rule, { scope: '*' }));
  return changeObjects(scoped, 'excludeResourceRules', (rule) => fillAbsent(rule, { scope: '*' }));
}

function* checkPolicy(object: JsonObject, list: 'validations' | 'mutations'): Complaints {
  yield* validateOneOf(object, 'spec.failurePolicy', FAILURE_POLICIES);
  if (!isGiven(valueAt(object, 'spec.matchConstraints'))) yield required('spec.matchConstraints');
  else yield* validateRequired(object, ['spec.matchConstraints.resourceRules']);
  if (objectsAt(object, `spec.${list}`).length > 0) return;
  if (list === 'mutations') {
    yield required('spec.mutations', 'mutations must contain at least one item');
    return;
  }
  if (objectsAt(object, 'spec.auditAnnotations').length > 0) return;
  const detail = 'validations or auditAnnotations must contain at least one item';
  yield required('spec.validations', detail);
  yield required('spec.auditAnnotations', detail);
}

function* checkBinding(object: JsonObject, prefix: Prefix): Complaints {
  yield* validateRequired(object, ['spec.policyName']);
  if (prefix === 'Validating') yield* validateRequired(object, ['spec.validationActions']);
}

function printParamKind(object: JsonObject): string {
  if (!isGiven(valueAt(object, 'spec.paramKind'))) return '<unset>';
  return `${textAt(object, 'spec.paramKind.apiVersion')}/${textAt(object, 'spec.paramKind.kind')}`;
}

function printParamRef(object: JsonObject): string {
  const ref = readObject(valueAt(object, 'spec.paramRef'));
  const name = ref ? textAt(ref, 'name') : '';
  if (!ref || (name === '' && !isGiven(ref['selector']))) return '<unset>';
  if (name === '') return selectorText(ref['selector']);
  return `${textAt(ref, 'namespace') || '*'}/${name}`;
}
