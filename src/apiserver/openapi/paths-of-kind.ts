/**
 * Describes the paths of one kind and their operations: the collection in all namespaces and in one, the
 * object, and its subresources. Only verbs that the kind serves are listed.
 */
import { verbsOf } from '../registry/catalog.ts';
import type { KindDefinition, Subresource, Verb } from '../objects/kind.ts';
import { connectionPaths } from './connection-operations.ts';
import {
  createOperation,
  deleteAllOperation,
  deleteOperation,
  listOperation,
  patchOperation,
  readOperation,
  replaceOperation,
} from './operations.ts';
import { rootOf, type Operation, type Path } from './spec.ts';
import { subjectOf, subjectOfPart, type OperationSubject } from './subject.ts';

type Describe = (subject: OperationSubject) => Operation;

const OF_COLLECTION: readonly (readonly [Verb, Describe])[] = [
  ['list', (subject) => listOperation(subject, false)],
  ['create', createOperation],
  ['deletecollection', deleteAllOperation],
];

const OF_OBJECT: readonly (readonly [Verb, Describe])[] = [
  ['get', readOperation],
  ['update', replaceOperation],
  ['patch', patchOperation],
  ['delete', deleteOperation],
];

const OF_PART: readonly (readonly [Verb, Describe])[] = [...OF_OBJECT, ['create', createOperation]];

export function pathsOfKind(definition: KindDefinition): readonly Path[] {
  const { resource, namespaced } = definition;
  const verbs = verbsOf(definition);
  const subject = subjectOf(definition);
  const everywhere = `${rootOf(definition)}/${resource}`;
  const collection = namespaced
    ? `${rootOf(definition)}/namespaces/{namespace}/${resource}`
    : everywhere;
  const paths: readonly Path[] = [
    { path: collection, operations: choose(OF_COLLECTION, verbs, subject) },
    { path: `${collection}/{name}`, operations: choose(OF_OBJECT, verbs, subject) },
    ...(definition.subresources ?? []).flatMap((part) =>
      pathsOfPart(subject, part, `${collection}/{name}/${part.name}`),
    ),
    ...(namespaced && verbs.includes('list')
      ? [{ path: everywhere, operations: [listOperation(subject, true)] }]
      : []),
  ];
  return paths.filter(({ operations }) => operations.length > 0);
}

function pathsOfPart(whole: OperationSubject, part: Subresource, path: string): readonly Path[] {
  const subject = subjectOfPart(whole, part);
  const operations = choose(OF_PART, part.verbs, subject);
  return connectionPaths(subject, part, path) ?? [{ path, operations }];
}

function choose(
  from: readonly (readonly [Verb, Describe])[],
  verbs: readonly Verb[],
  subject: OperationSubject,
): readonly Operation[] {
  return from.filter(([verb]) => verbs.includes(verb)).map(([, describe]) => describe(subject));
}
