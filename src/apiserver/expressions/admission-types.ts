/**
 * Declares the CEL variables and their types for match conditions of webhooks and for admission policies.
 *
 *     object, oldObject     the object after and before the request; null where there is none
 *     request               the AdmissionRequest, without its objects
 *     namespaceObject       the namespace of the object; null for cluster-scoped ones
 *     params                the parameters of a policy, if it has a paramKind
 *     authorizer            checks what the user of the request may do
 *     variables             the variables that the policy defines
 */
import { BOOL, DYN, STRING, type CelType } from '../../cel/cel.ts';

export interface ExpressionScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The type of `object` and `oldObject`. Absent: it is known only at run time. */
  readonly objectType?: CelType;
  /** The type of `params`. Absent: it is known only at run time. */
  readonly paramsType?: CelType;
  /** True: the expression yields a patch, so it may use `Object` and `JSONPatch`. */
  readonly hasPatchTypes?: boolean;
  /**
   * The variables that the policy has defined before this expression. Absent: the expression cannot use any.
   */
  readonly variables?: ReadonlyMap<string, CelType>;
}

const INT: CelType = { kind: 'int' };
const TIMESTAMP: CelType = { kind: 'timestamp' };
const TEXTS: CelType = { kind: 'list', item: STRING };
const TEXT_MAP: CelType = { kind: 'map', key: STRING, value: STRING };

function struct(fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', fields: new Map(Object.entries(fields)) };
}

const KIND = struct({ group: STRING, version: STRING, kind: STRING });
const RESOURCE = struct({ group: STRING, version: STRING, resource: STRING });

export const REQUEST_TYPE: CelType = struct({
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: struct({
    username: STRING,
    uid: STRING,
    groups: TEXTS,
    extra: { kind: 'map', key: STRING, value: TEXTS },
  }),
  dryRun: BOOL,
  options: DYN,
});

/** Only some fields of a Namespace, as in kube-apiserver. */
export const NAMESPACE_TYPE: CelType = struct({
  metadata: struct({
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  }),
  spec: struct({ finalizers: TEXTS }),
  status: struct({
    conditions: {
      kind: 'list',
      item: struct({
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    },
    phase: STRING,
  }),
});

/** In the order in which a program gets the values. */
export function variableTypes({
  hasParams,
  hasAuthorizer,
  variables,
  objectType = DYN,
  paramsType = DYN,
}: ExpressionScope): ReadonlyMap<string, CelType> {
  return new Map<string, CelType>([
    ['object', objectType],
    ['oldObject', objectType],
    ['namespaceObject', NAMESPACE_TYPE],
    ['request', REQUEST_TYPE],
    ...(hasParams ? ([['params', paramsType]] as const) : []),
    ...(hasAuthorizer
      ? ([
          ['authorizer', { kind: 'Authorizer' }],
          ['authorizer.requestResource', { kind: 'ResourceCheck' }],
        ] as const)
      : []),
    ...(variables ? ([['variables', { kind: 'object', fields: variables }]] as const) : []),
  ]);
}
