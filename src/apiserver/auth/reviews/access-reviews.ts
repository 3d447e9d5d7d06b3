/** Answers SubjectAccessReviews, SelfSubjectAccessReviews and LocalSubjectAccessReviews. */
import type { JsonObject } from '../../../lib/json.ts';
import type { User } from '../../objects/access.ts';
import type { Action, ActionAnswer, ActionRequest } from '../../objects/action.ts';
import type { Authorizer } from '../authorizer.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { printedForm } from '../../objects/printed-form.ts';
import { invalidField } from '../../../api/validation/field-errors.ts';
import {
  readEntries,
  readObject,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { metadataOf, textOf, withMetadata } from '../../objects/metadata.ts';
import { badRequest, invalid as invalidObject } from '../../objects/status.ts';
import { checkQuestion, checkSelectors, inGo, readQuestion } from './review-attributes.ts';

export function reviewSubject(authorizer: Authorizer): Action {
  return async (request) => {
    const { body } = request;
    const spec = readStruct(body['spec']);
    check([...checkSubjectSpec(spec), ...checkMetadata(body, 'must be empty')]);
    return answer(request, body, authorizer, readSubject(spec));
  };
}

export function reviewSelf(authorizer: Authorizer): Action {
  return async (request) => {
    const { body, user } = request;
    const spec = readStruct(body['spec']);
    check([
      ...checkQuestion(spec),
      ...checkSelectors(spec),
      ...checkMetadata(body, 'must be empty'),
    ]);
    return answer(request, body, authorizer, user);
  };
}

export function reviewLocalSubject(authorizer: Authorizer): Action {
  return async (request) => {
    const { namespace } = request;
    const given = textOf(metadataOf(request.body)['namespace']);
    if (given !== '' && given !== namespace) {
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
    const body = withMetadata(request.body, { namespace });
    const spec = readStruct(body['spec']);
    check([
      ...checkSubjectSpec(spec),
      ...checkMetadata(body, 'must be empty except for namespace'),
      ...checkPlace(spec, namespace),
    ]);
    return answer(request, body, authorizer, readSubject(spec));
  };
}

function answer(
  { definition }: ActionRequest,
  body: JsonObject,
  authorizer: Authorizer,
  user: User,
): ActionAnswer {
  const { group, version, kind, type } = definition;
  const { attributes, errors } = readQuestion(readStruct(body['spec']));
  const { isAllowed, reason } = authorizer.authorize(user, attributes);
  const status = {
    allowed: isAllowed,
    ...(reason !== '' && { reason }),
    ...(errors.length > 0 && { evaluationError: errors.join('; ') }),
  };
  const object = { ...body, kind, apiVersion: `${group}/${version}`, status };
  return { code: 201, body: type ? printedForm(object, type) : object };
}

/**
 * Throws an Invalid error. At this point kube-apiserver does not know the kind yet, so the message begins
 * with the group.
 */
function check(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  throw invalidObject({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function checkSubjectSpec(spec: JsonObject): readonly FieldError[] {
  const isIdentified = readText(spec['user']) !== '' || readTexts(spec['groups']).length > 0;
  return [
    ...checkQuestion(spec),
    ...(isIdentified
      ? []
      : [invalidField('spec.user', '', 'at least one of user or group must be specified')]),
    ...checkSelectors(spec),
  ];
}

function checkMetadata(body: JsonObject, detail: string): readonly FieldError[] {
  const { managedFields: _managed, ...metadata } = metadataOf(body);
  const { namespace: _namespace, ...local } = metadata;
  const isLocal = detail.includes('namespace');
  const rest = Object.entries(isLocal ? local : metadata).filter(([, value]) => value !== null);
  return rest.length === 0 ? [] : [invalidField('metadata', metadata, detail)];
}

function checkPlace(spec: JsonObject, namespace: string): readonly FieldError[] {
  const resource = readObject(spec['resourceAttributes']);
  const path = readObject(spec['nonResourceAttributes']);
  const asked = readText(resource?.['namespace']);
  return [
    ...(resource && asked !== namespace
      ? [invalidField('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]
      : []),
    ...(path
      ? [
          invalidField(
            'spec.nonResourceAttributes',
            inGo(path),
            'disallowed on this kind of request',
          ),
        ]
      : []),
  ];
}

function readSubject(spec: JsonObject): User {
  const uid = readText(spec['uid']);
  const extra = readEntries(spec['extra']).map(
    ([key, values]) => [key, readTexts(values)] as const,
  );
  return {
    name: readText(spec['user']),
    groups: readTexts(spec['groups']),
    ...(uid !== '' && { uid }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}
