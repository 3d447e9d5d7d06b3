/** Defines the kind APIService: its validation and columns. */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { nameOf } from '../../objects/metadata.ts';
import { textColumn } from '../../objects/columns.ts';
import { changeGivenAt, numberAt, objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withoutStatus } from '../lifecycle.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';
import { validateRequired } from '../required-fields.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { fillAbsent } from '../../../api/validation/json-changes.ts';
import { isGiven, readFlag, readText } from '../../../api/validation/json-reading.ts';

const GROUP_PRIORITY_MAX = 20_000;
const VERSION_PRIORITY_MAX = 1000;
const PORT = 443;
/** Without the core group and APIServices themselves, a wrong APIService could not be repaired. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['', 'apiregistration.k8s.io']);

export const apiServices = plainKind('apiregistration.k8s.io/v1', {
  kind: 'APIService',
  resource: 'apiservices',
  categories: ['api-extensions'],
  subresources: [statusSubresource('APIService')],
  rules: {
    applyDefaults: (object) =>
      changeGivenAt(object, 'spec.service', (service) => fillAbsent(service, { port: PORT })),
    prepareForCreate: withoutStatus,
    checkName: checkPathSegment,
    validate: (object) => [...checkNameAgainstSpec(object), ...checkSpec(object)],
    // The name, too: a role for one name must not reach the requests of another group.
    validateUpdate: (object) => [...checkNameAgainstSpec(object), ...checkSpec(object)],
  },
  columns: [
    NAME,
    textColumn('Service', 'Who serves it.', (object) => {
      if (!hasService(object)) return 'Local';
      return `${textAt(object, 'spec.service.namespace')}/${textAt(object, 'spec.service.name')}`;
    }),
    textColumn('Available', 'Whether they answer.', printAvailable),
    AGE,
  ],
});

export function hasService(object: JsonObject): boolean {
  return isGiven(valueAt(object, 'spec.service'));
}

/** The server answers for this group itself, whatever the APIService says. */
export function servesItself(object: JsonObject): boolean {
  return OWN_GROUPS.has(textAt(object, 'spec.group'));
}

function* checkNameAgainstSpec(object: JsonObject): FieldErrors {
  const expected = `${textAt(object, 'spec.version')}.${textAt(object, 'spec.group')}`;
  if (nameOf(object) === expected) return;
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`;
  yield invalidField('metadata.name', nameOf(object), detail);
}

function* checkSpec(object: JsonObject): FieldErrors {
  const group = textAt(object, 'spec.group');
  if (group !== '') yield* invalidFor('spec.group', group, checkDns1123Subdomain(group));
  else if (textAt(object, 'spec.version') !== 'v1') {
    const detail = 'only v1 may have an empty group and it better be legacy kube';
    yield required('spec.group', detail);
  }
  yield* checkPriority(object, 'spec.groupPriorityMinimum', GROUP_PRIORITY_MAX);
  yield* checkPriority(object, 'spec.versionPriority', VERSION_PRIORITY_MAX);
  const bundle = textAt(object, 'spec.caBundle');
  const isInsecure = readFlag(valueAt(object, 'spec.insecureSkipTLSVerify'));
  if (hasService(object)) {
    yield* validateRequired(object, ['spec.service.namespace', 'spec.service.name']);
    if (isInsecure && bundle !== '') {
      yield invalidField(
        'spec.insecureSkipTLSVerify',
        true,
        'may not be true if caBundle is present',
      );
    }
    return;
  }
  if (bundle !== '') {
    const size = `${Buffer.byteLength(bundle, 'base64')} bytes`;
    yield invalidField('spec.caBundle', size, 'local APIServices may not have a caBundle');
  }
  if (isInsecure) {
    const detail = 'local APIServices may not have insecureSkipTLSVerify';
    yield invalidField('spec.insecureSkipTLSVerify', true, detail);
  }
}

function* checkPriority(object: JsonObject, path: string, max: number): FieldErrors {
  const priority = numberAt(object, path);
  if (priority > 0 && priority <= max) return;
  yield invalidField(path, priority, `must be positive and less than ${max}`);
}

function printAvailable(object: JsonObject): string {
  const condition = objectsAt(object, 'status.conditions').find(
    (one) => one['type'] === 'Available',
  );
  if (!condition) return 'Unknown';
  const [status, reason] = [readText(condition['status']), readText(condition['reason'])];
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
