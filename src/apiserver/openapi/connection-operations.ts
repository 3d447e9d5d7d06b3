/**
 * Describes subresources that are connections. exec, attach, port-forward and proxy have an options kind
 * (such as PodExecOptions), whose fields are their query parameters. A log is plain text.
 */
import { kindOf } from '../../api/schema/schema.ts';
import type { Subresource } from '../objects/kind.ts';
import { describeParameter } from './descriptions/parameters.ts';
import { readOperation } from './operations.ts';
import { capitalized, operationId, tagOf } from './operation-name.ts';
import { inOrder, nameParameter, NAMESPACE, parametersOf } from './parameters.ts';
import { apiVersionOf, TEXT, type OperationAnswer, type Method } from './spec.ts';
import type { Operation, Parameter, Path } from './spec.ts';
import type { OperationSubject } from './subject.ts';

const STREAM_METHODS: readonly Method[] = ['get', 'post'];
const PROXY_METHODS: readonly Method[] = [
  ...STREAM_METHODS,
  'put',
  'delete',
  'options',
  'head',
  'patch',
];

const ANY = ['*/*'];
const ANSWERS: readonly OperationAnswer[] = [
  { code: 200, description: 'OK', content: TEXT },
  { code: 401, description: 'Unauthorized' },
];

/** Undefined: the subresource is not a connection. */
export function connectionPaths(
  subject: OperationSubject,
  part: Subresource,
  path: string,
): readonly Path[] | undefined {
  if (part.connects === undefined) return undefined;
  if (part.connects === 'log') return [{ path, operations: [readLog(subject)] }];
  if (part.connects === 'stream') {
    return [{ path, operations: connections(subject, part, STREAM_METHODS) }];
  }
  return [
    { path, operations: connections(subject, part, PROXY_METHODS) },
    { path: `${path}/{path}`, operations: connections(subject, part, PROXY_METHODS, [REST]) },
  ];
}

/** The path after that of the proxy subresource. */
const REST: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  description: describeParameter('path') ?? '',
};

function connections(
  subject: OperationSubject,
  part: Subresource,
  methods: readonly Method[],
  added: readonly Parameter[] = [],
): readonly Operation[] {
  const { resource, namespaced, kind } = subject;
  const options = kindOf(apiVersionOf(kind), part.kind)?.type.name;
  const parameters = inOrder([
    nameParameter(resource.kind),
    ...(namespaced ? [NAMESPACE] : []),
    ...(options === undefined ? [] : parametersOf(options)),
    ...added,
  ]);
  const place = `${namespaced ? 'Namespaced' : ''}${resource.kind}${capitalized(part.name)}`;
  const suffix = added.length === 0 ? '' : 'WithPath';
  return methods.map((method) => ({
    method,
    id: operationId('connect', resource, `${capitalized(method)}${place}${suffix}`),
    tag: tagOf(resource),
    description: `Connects a ${method.toUpperCase()} to the ${part.name} of a ${resource.kind}.`,
    parameters,
    consumes: ANY,
    produces: ANY,
    answers: ANSWERS,
    action: 'connect',
    kind,
  }));
}

function readLog(subject: OperationSubject): Operation {
  const read = readOperation({ ...subject, content: TEXT });
  return {
    ...read,
    parameters: inOrder([...read.parameters, ...parametersOf('core/v1.PodLogOptions')]),
    produces: ['text/plain', ...read.produces],
  };
}
