/**
 * The paths of one kind, and what can be done with each: its collection in all namespaces and in one,
 * the object by its name, and its subresources. Nothing is told that the kind does not offer.
 */
import { verbsOf } from '../catalog.ts';
import type { KindDefinition, Subresource, Verb } from '../kind.ts';
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
import { subjectOf, subjectOfPart, type Subject } from './subject.ts';

type Describe = (subject: Subject) => Operation;

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

function pathsOfPart(whole: Subject, part: Subresource, path: string): readonly Path[] {
  const subject = subjectOfPart(whole, part);
  const operations = choose(OF_PART, part.verbs, subject);
  return connectionPaths(subject, part, path) ?? [{ path, operations }];
}

function choose(
  from: readonly (readonly [Verb, Describe])[],
  verbs: readonly Verb[],
  subject: Subject,
): readonly Operation[] {
  return from.filter(([verb]) => verbs.includes(verb)).map(([, describe]) => describe(subject));
}
