/**
 * Describes the operations on an object, a collection or a subresource, with their parameters and responses.
 * They are the same for all kinds, with two exceptions: custom kinds have fewer media types (kube-apiserver
 * serves them with a separate server), and for a few old kinds a delete returns the deleted object.
 */
import { capitalized, operationId, tagOf } from './operation-name.ts';
import { inOrder, nameParameter, NAMESPACE, parametersOf, PRETTY } from './parameters.ts';
import { typeContent, type OperationAction, type OperationAnswer, type Content } from './spec.ts';
import type { Method, Operation, Parameter } from './spec.ts';
import type { OperationSubject } from './subject.ts';
import { PATCH } from './type-facts.ts';

const ANY = ['*/*'];
const PLAIN = ['application/json', 'application/yaml'];
const BINARY = 'application/vnd.kubernetes.protobuf';
const OBJECTS = [...PLAIN, BINARY];
const STREAMS = [...OBJECTS, 'application/json;stream=watch', `${BINARY};stream=watch`];
const PATCHES = ['application/json-patch+json', 'application/merge-patch+json'];
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

const STATUS = typeContent('meta/v1.Status');
const DELETE_OPTIONS = typeContent('meta/v1.DeleteOptions');
const PATCH_BODY: Content = { of: 'definition', name: PATCH };
const UNAUTHORIZED: OperationAnswer = { code: 401, description: 'Unauthorized' };

const OF_WATCHES: ReadonlySet<string> = new Set(['watch', 'allowWatchBookmarks']);

/** Kinds for which a delete returns the object instead of a Status. */
const RETURNED_WHEN_DELETED: ReadonlySet<string> = new Set([
  ' PersistentVolume',
  ' PersistentVolumeClaim',
  ' Pod',
  ' PodTemplate',
  ' ResourceQuota',
  ' Service',
  ' ServiceAccount',
  'storage.k8s.io CSIDriver',
  'storage.k8s.io CSINode',
  'storage.k8s.io StorageClass',
  'storage.k8s.io VolumeAttachment',
  'storage.k8s.io VolumeAttributesClass',
]);

export function readOperation(subject: OperationSubject): Operation {
  return describe(subject, 'get', 'get', 'read', {
    description: `Reads ${one(subject)}.`,
    parameters: [
      ...placeOf(subject),
      ...(subject.isCustom ? parametersOf('meta/v1.GetOptions') : []),
    ],
    answers: answered(subject.content, 200),
  });
}

export function replaceOperation(subject: OperationSubject): Operation {
  return describe(subject, 'put', 'put', 'replace', {
    description: `Replaces ${one(subject)}.`,
    parameters: [...placeOf(subject), ...parametersOf('meta/v1.UpdateOptions')],
    body: { content: subject.content, isRequired: true },
    answers: answered(subject.content, 200, 201),
  });
}

export function patchOperation(subject: OperationSubject): Operation {
  const { isCustom } = subject;
  return describe(subject, 'patch', 'patch', 'patch', {
    description: `Changes a part of ${one(subject)}.`,
    parameters: [...placeOf(subject), ...parametersOf('meta/v1.PatchOptions')],
    consumes: isCustom ? [...PATCHES, APPLY] : [...PATCHES, STRATEGIC, APPLY],
    body: { content: PATCH_BODY, isRequired: true },
    answers: isCustom ? answered(subject.content, 200) : answered(subject.content, 200, 201),
  });
}

export function createOperation(subject: OperationSubject): Operation {
  const { part, resource } = subject;
  const created = part === null ? `a ${resource.kind}` : `the ${part} of a ${resource.kind}`;
  return describe(subject, 'post', 'post', 'create', {
    description: `Creates ${created}.`,
    parameters: [
      ...(part === null ? placeOfAll(subject) : placeOf(subject)),
      ...parametersOf('meta/v1.CreateOptions'),
    ],
    body: { content: subject.content, isRequired: true },
    answers: answered(subject.content, 200, 201, 202),
  });
}

export function deleteOperation(subject: OperationSubject): Operation {
  const { group, kind } = subject.resource;
  const returned = RETURNED_WHEN_DELETED.has(`${group} ${kind}`) ? subject.content : STATUS;
  return describe(subject, 'delete', 'delete', 'delete', {
    description: `Deletes ${one(subject)}.`,
    parameters: [...placeOf(subject), ...parametersOf('meta/v1.DeleteOptions')],
    body: { content: DELETE_OPTIONS, isRequired: false },
    answers: answered(returned, 200, 202),
  });
}

export function deleteAllOperation(subject: OperationSubject): Operation {
  const { isCustom } = subject;
  const selected = isCustom
    ? parametersOf('meta/v1.ListOptions')
    : [
        ...parametersOf('meta/v1.ListOptions').filter(({ name }) => !OF_WATCHES.has(name)),
        ...parametersOf('meta/v1.DeleteOptions'),
      ];
  return describe(subject, 'delete', 'deletecollection', 'delete', {
    description: `Deletes many of the kind ${subject.resource.kind} at once.`,
    name: `Collection${nameOf(subject)}`,
    parameters: [...placeOfAll(subject), ...selected],
    ...(!isCustom && { body: { content: DELETE_OPTIONS, isRequired: false } }),
    answers: answered(STATUS, 200),
  });
}

/** `isEverywhere`: for all namespaces. */
export function listOperation(subject: OperationSubject, isEverywhere: boolean): Operation {
  const { resource, list, isCustom } = subject;
  return describe(subject, 'get', 'list', 'list', {
    description: `Lists those of the kind ${resource.kind}, or watches them.`,
    name: isEverywhere ? `${resource.kind}ForAllNamespaces` : nameOf(subject),
    parameters: [
      ...(isEverywhere ? [PRETTY] : placeOfAll(subject)),
      ...parametersOf('meta/v1.ListOptions'),
    ],
    produces: isCustom ? PLAIN : STREAMS,
    answers: answered(list, 200),
  });
}

type Details = Pick<Operation, 'description' | 'parameters' | 'answers'> &
  Partial<Pick<Operation, 'consumes' | 'produces' | 'body'>> & { readonly name?: string };

function describe(
  subject: OperationSubject,
  method: Method,
  action: OperationAction,
  verb: string,
  { name = nameOf(subject), ...details }: Details,
): Operation {
  const { isCustom, resource, kind } = subject;
  return {
    method,
    id: operationId(verb, resource, name),
    tag: tagOf(resource),
    consumes: isCustom ? PLAIN : ANY,
    produces: isCustom ? PLAIN : OBJECTS,
    action,
    kind,
    ...details,
    parameters: inOrder(details.parameters),
  };
}

function answered(
  content: Content,
  ...codes: readonly (keyof typeof SUCCESSES)[]
): OperationAnswer[] {
  const successes = codes.map((code) => ({ code, description: SUCCESSES[code], content }));
  return [...successes, UNAUTHORIZED];
}

const SUCCESSES = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

/** `NamespacedPod`, `NamespacedPodStatus` */
function nameOf({ resource, namespaced, part }: OperationSubject): string {
  const kind = `${namespaced ? 'Namespaced' : ''}${resource.kind}`;
  return part === null ? kind : `${kind}${capitalized(part)}`;
}

function one({ resource, part }: OperationSubject): string {
  return part === null ? `one ${resource.kind}` : `the ${part} of one ${resource.kind}`;
}

function placeOfAll({ namespaced }: OperationSubject): readonly Parameter[] {
  return namespaced ? [NAMESPACE, PRETTY] : [PRETTY];
}

function placeOf(subject: OperationSubject): readonly Parameter[] {
  return [...placeOfAll(subject), nameParameter(subject.resource.kind)];
}
