/** Defines the kinds RoleBinding and ClusterRoleBinding: their defaults, validation and columns. */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { textColumn, wide } from '../../objects/columns.ts';
import { changeStructAt, objectsAt, textAt } from '../../objects/field-path.ts';
import { AGE, NAME, plainKind } from '../../objects/plain-kind.ts';
import { checkPathSegment, RBAC } from './rbac-role.ts';
import {
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { changeObjects, fillEmpty } from '../../../api/validation/json-changes.ts';
import { readText } from '../../../api/validation/json-reading.ts';

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

export const roleBindings = bindings('RoleBinding', 'rolebindings', ['Role', 'ClusterRole']);
export const clusterRoleBindings = bindings('ClusterRoleBinding', 'clusterrolebindings', [
  'ClusterRole',
]);

function bindings(kind: string, resource: string, roleKinds: readonly string[]): KindDefinition {
  const isNamespaced = kind === 'RoleBinding';
  const check = (object: JsonObject): FieldErrors => checkBinding(object, roleKinds, isNamespaced);
  return plainKind(`${RBAC}/v1`, {
    kind,
    resource,
    rules: {
      createsOnUpdate: true,
      applyDefaults,
      checkName: checkPathSegment,
      validate: (object) => [...check(object)],
      validateUpdate: (object, old) => [
        ...check(object),
        ...(jsonEqual(object['roleRef'] ?? null, old['roleRef'] ?? null)
          ? []
          : [invalidField('roleRef', object['roleRef'], 'cannot change roleRef')]),
      ],
    },
    columns: [
      NAME,
      textColumn('Role', 'What it allows.', (object) => {
        return `${textAt(object, 'roleRef.kind')}/${textAt(object, 'roleRef.name')}`;
      }),
      AGE,
      wide(textColumn('Users', 'To which users.', namesOf('User'))),
      wide(textColumn('Groups', 'To which groups.', namesOf('Group'))),
      wide(textColumn('ServiceAccounts', 'To which accounts.', namesOf('ServiceAccount'))),
    ],
  });
}

function applyDefaults(object: JsonObject): JsonObject {
  const referring = changeStructAt(object, 'roleRef', (ref) => fillEmpty(ref, { apiGroup: RBAC }));
  return changeObjects(referring, 'subjects', (subject) => {
    const isPerson = subject['kind'] === 'User' || subject['kind'] === 'Group';
    return isPerson ? fillEmpty(subject, { apiGroup: RBAC }) : subject;
  });
}

function* checkBinding(
  object: JsonObject,
  roleKinds: readonly string[],
  isNamespaced: boolean,
): FieldErrors {
  const [group, kind, name] = ['apiGroup', 'kind', 'name'].map((field) =>
    textAt(object, `roleRef.${field}`),
  );
  if (group !== RBAC) yield unsupported('roleRef.apiGroup', group, [RBAC]);
  if (!roleKinds.includes(kind ?? '')) yield unsupported('roleRef.kind', kind, roleKinds);
  if (!name) yield required('roleRef.name');
  else yield* invalidFor('roleRef.name', name, checkPathSegment(name));
  for (const [index, subject] of objectsAt(object, 'subjects').entries()) {
    yield* checkSubject(subject, `subjects[${index}]`, isNamespaced);
  }
}

function* checkSubject(subject: JsonObject, path: string, isNamespaced: boolean): FieldErrors {
  const [kind, name, group] = [subject['kind'], subject['name'], subject['apiGroup']].map(readText);
  if (!name) yield required(`${path}.name`);
  if (kind === 'ServiceAccount') {
    if (name) yield* invalidFor(`${path}.name`, name, checkDns1123Subdomain(name));
    if (group !== '') yield unsupported(`${path}.apiGroup`, group, ['']);
    if (!isNamespaced && readText(subject['namespace']) === '') yield required(`${path}.namespace`);
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== RBAC) yield unsupported(`${path}.apiGroup`, group, [RBAC]);
  } else yield unsupported(`${path}.kind`, kind, SUBJECTS);
}

function namesOf(kind: string): (object: JsonObject) => string {
  return (object) =>
    objectsAt(object, 'subjects')
      .filter((subject) => subject['kind'] === kind)
      .map((subject) => {
        const name = readText(subject['name']);
        return kind === 'ServiceAccount' ? `${readText(subject['namespace'])}/${name}` : name;
      })
      .join(', ');
}
