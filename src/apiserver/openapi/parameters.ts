/**
 * Describes the parameters of operations. Query parameters are the fields of an operation's options (such as
 * ListOptions) that a query can hold.
 */
import { structOf } from '../../api/schema/schema.ts';
import type { Scalar, Shape, TypeName } from '../../api/schema/shape.ts';
import { describeParameter } from './descriptions/parameters.ts';
import type { Parameter } from './spec.ts';

/** The type of the options object itself, which is never sent in a query. */
const LEFT_OUT: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

export const PRETTY = parameter('pretty', 'query', 'string');
export const NAMESPACE = parameter('namespace', 'path', 'string');

export function nameParameter(kind: string): Parameter {
  return { name: 'name', in: 'path', type: 'string', description: `The name of the ${kind}.` };
}

const known = new Map<TypeName, readonly Parameter[]>();

/** The query parameters of an options type. */
export function parametersOf(options: TypeName): readonly Parameter[] {
  const found = known.get(options) ?? readParameters(options);
  known.set(options, found);
  return found;
}

function readParameters(options: TypeName): readonly Parameter[] {
  return structOf(options).fields.flatMap(({ name, shape }) => {
    const type = queryTypeOf(shape);
    return type === undefined || LEFT_OUT.has(name) ? [] : [parameter(name, 'query', type)];
  });
}

/** Without duplicates, in the usual order. */
export function inOrder(parameters: readonly Parameter[]): readonly Parameter[] {
  const byName = new Map(parameters.map((one) => [`${one.name} ${one.in}`, one]));
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function parameter(name: string, place: Parameter['in'], type: Parameter['type']): Parameter {
  return { name, in: place, type, description: describeParameter(name) ?? '' };
}

/** A list is sent by repeating its parameter. Undefined: a query cannot hold this type. */
function queryTypeOf(shape: Shape): Parameter['type'] | undefined {
  if (shape.kind === 'list') return queryTypeOf(shape.item);
  return shape.kind === 'scalar' ? typeOfScalar(shape.scalar) : undefined;
}

function typeOfScalar(scalar: Scalar): Parameter['type'] {
  if (scalar === 'bool') return 'boolean';
  return scalar === 'string' || scalar === 'bytes' ? 'string' : 'integer';
}
