/**
 * Defines the kinds of admission policies and their bindings, with CEL expressions that validate or change
 * objects (admission/policies/ evaluates them).
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { integerColumn, selectorText, textColumn } from '../../objects/columns.ts';
import {
  changeGivenAt,
  changeStructAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../objects/field-path.ts';
import { startGenerations, startWithoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readObject } from '../../../api/validation/json-reading.ts';
import { defaultMatch } from './match-resources.ts';
import { checkMutatingPolicy } from './mutation-rules.ts';
import { checkPolicyBinding } from './policy-binding-rules.ts';
import { checkValidatingPolicy } from './policy-rules.ts';

type Prefix = 'Mutating' | 'Validating';

const GROUP = 'admissionregistration.k8s.io/v1';

export const validatingAdmissionPolicies = policies('Validating', 'validations');
export const mutatingAdmissionPolicies = policies('Mutating', 'mutations');
export const validatingAdmissionPolicyBindings = policyBindings('Validating');
export const mutatingAdmissionPolicyBindings = policyBindings('Mutating');

function policies(prefix: Prefix, list: 'validations' | 'mutations'): KindDefinition {
  const kind = `${prefix}AdmissionPolicy`;
  const hasStatus = prefix === 'Validating';
  const check = hasStatus ? checkValidatingPolicy : checkMutatingPolicy;
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
      validate: (object) => [...check(object, null)],
      validateUpdate: (object, old) => [...check(object, old)],
      ...(hasStatus && { validateStatusUpdate: (object) => [...checkStatus(object)] }),
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
      validate: (object) => [...checkPolicyBinding(object, prefix === 'Mutating')],
      validateUpdate: (object) => [...checkPolicyBinding(object, prefix === 'Mutating')],
    },
    columns: [
      NAME,
      textColumn('PolicyName', 'The policy.', (object) => textAt(object, 'spec.policyName')),
      textColumn('ParamRef', 'Its parameters.', printParamRef),
      AGE,
    ],
  });
}

/** Validates the status, which the type checker writes. */
function* checkStatus(object: JsonObject): FieldErrors {
  const path = 'status.typeChecking.expressionWarnings';
  for (const [index, warning] of objectsAt(object, path).entries()) {
    if (textAt(warning, 'warning') === '') yield required(`${path}[${index}].warning`);
    if (textAt(warning, 'fieldRef').trim() === '') yield required(`${path}[${index}].fieldRef`);
  }
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
