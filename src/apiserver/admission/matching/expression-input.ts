/**
 * Builds the CEL variables (object, oldObject, request, namespaceObject, authorizer) that admission
 * expressions see of a request.
 *
 * Cluster-scoped objects have no namespaceObject. Neither has a Namespace, although the namespace of its
 * request is its own name.
 */
import { CelError, type AuthorizerParts } from '../../../cel/cel.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import type { ExpressionInput } from '../../expressions/admission-expression.ts';
import type { Access, User } from '../../objects/access.ts';
import {
  attributesOfRequest,
  isNamespaceRequest,
  type DynamicAttributes,
} from './dynamic-attributes.ts';

export interface InputDeps {
  readonly store: ObjectStore;
  readonly authorize: Access['authorize'];
}

const ACCOUNT_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function inputOf(seen: DynamicAttributes, deps: InputDeps): ExpressionInput {
  return {
    object: seen.object,
    oldObject: seen.oldObject,
    request: requestFields(seen),
    namespaceObject: namespaceOf(seen, deps.store),
    authorizer: authorizerFor(seen.request.user, deps.authorize),
  };
}

/** The variable `request`: the AdmissionRequest without its objects. */
export function requestFields(attributes: DynamicAttributes): JsonObject {
  const { request, kind, resource, subresource, name, namespace, operation } = attributes;
  const asked = attributesOfRequest(request);
  return {
    kind: { ...kind },
    resource: { ...resource },
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: { ...asked.kind },
    requestResource: { ...asked.resource },
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userInfo(request.user),
    dryRun: request.dryRun,
    options: request.options ?? null,
  };
}

function userInfo({ name, uid = '', groups, extra = {} }: User): JsonObject {
  return {
    username: name,
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function namespaceOf(attributes: DynamicAttributes, store: ObjectStore): JsonObject | null {
  const { namespace } = attributes;
  if (namespace === '' || isNamespaceRequest(attributes)) return null;
  return store.get(`/core/namespaces/${namespace}`)?.value ?? null;
}

function authorizerFor(user: User, authorize: Access['authorize']): AuthorizerParts {
  return {
    authorize: (wanted) => authorize(user, 'path' in wanted ? wanted : { version: '*', ...wanted }),
    serviceAccount: (namespace, name) => {
      if (!ACCOUNT_NAME.test(namespace) || !ACCOUNT_NAME.test(name)) {
        throw new CelError(`Invalid service account name: ${namespace}/${name}`);
      }
      const groups = [
        'system:serviceaccounts',
        `system:serviceaccounts:${namespace}`,
        'system:authenticated',
      ];
      return authorizerFor(
        { name: `system:serviceaccount:${namespace}:${name}`, groups },
        authorize,
      );
    },
  };
}
