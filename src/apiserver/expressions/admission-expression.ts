/**
 * Compiles CEL expressions of webhooks and admission policies, and evaluates them for one request.
 *
 * A fault is kube-apiserver's message about an invalid expression, reported when the configuration is
 * written. An evaluation that fails throws a CelError, and the failure policy decides.
 */
import {
  type Budget,
  CelFailure,
  CelFault,
  compileProgram,
  FaultList,
  Opaque,
  patchMessages,
  printType,
  type AuthorizerParts,
  type CelType,
  type CelValue,
  type Program,
} from '../../cel/cel.ts';
import { readStruct, readText } from '../../api/validation/json-reading.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  NAMESPACE_TYPE,
  REQUEST_TYPE,
  variableTypes,
  type ExpressionScope,
} from './admission-types.ts';
import { typedValue, untypedValue } from './typed-value.ts';

/** The values of the variables, for one request. */
export interface ExpressionInput {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  /** The AdmissionRequest without its objects. */
  readonly request: JsonObject;
  readonly namespaceObject: JsonObject | null;
  readonly authorizer: AuthorizerParts;
  /** Absent: the policy has no parameters. */
  readonly params?: JsonObject | null;
  /** Computes the variables that the policy defines. Absent: it defines none. */
  readonly variables?: CelValue;
}

/** A program, or the message about why the expression is invalid. */
export type Compiled = Program | { readonly fault: string };

export function isFaulty(compiled: Compiled): compiled is { readonly fault: string } {
  return 'fault' in compiled;
}

/** `wanted`: the types that the result may have. Absent: any type. */
export function compileAdmissionExpression(
  text: string,
  scope: ExpressionScope,
  wanted?: readonly CelType[],
): Compiled {
  try {
    const messages = scope.hasPatchTypes ? patchMessages : undefined;
    const program = compileProgram(text, variableTypes(scope), messages);
    const found = nameOfType(program.type);
    const names = wanted?.map(nameOfType);
    if (!names || names.includes(found)) return program;
    const which = names.length === 1 ? names.join('') : `one of [${names.join(' ')}]`;
    return { fault: `must evaluate to ${which} but got ${found}` };
  } catch (error) {
    const isFault = error instanceof CelFault || error instanceof FaultList;
    if (isFault) return { fault: `compilation failed: ${error.message}` };
    if (!(error instanceof CelFailure)) throw error;
    return { fault: `program instantiation failed: ${error.message}` };
  }
}

/** The type's full name, as messages about results print it. */
function nameOfType(type: CelType): string {
  if (type.kind === 'null') return 'null_type';
  if (type.kind === 'timestamp') return 'google.protobuf.Timestamp';
  return type.kind === 'duration' ? 'google.protobuf.Duration' : printType(type);
}

/** Throws a CelError. Only the variables that the program uses are converted. */
export function evaluate(
  program: Program,
  scope: ExpressionScope,
  input: ExpressionInput,
  budget: Budget,
): CelValue {
  const values = [...variableTypes(scope).keys()].map((name) =>
    program.uses.has(name) ? valueOf(name, input) : undefined,
  );
  return program.run(values, budget);
}

function valueOf(name: string, input: ExpressionInput): CelValue | undefined {
  switch (name) {
    case 'object':
      return cached(input.object);
    case 'oldObject':
      return cached(input.oldObject);
    case 'params':
      return cached(input.params ?? null);
    case 'request':
      return typedValue(input.request, REQUEST_TYPE);
    case 'namespaceObject':
      return typedValue(input.namespaceObject, NAMESPACE_TYPE);
    case 'authorizer':
      return new Opaque('Authorizer', input.authorizer);
    case 'authorizer.requestResource':
      return new Opaque('ResourceCheck', { authorizer: input.authorizer, ...requested(input) });
    default:
      return input.variables;
  }
}

/** Cache: many expressions read the same object. */
const converted = new WeakMap<JsonObject, CelValue>();

function cached(object: JsonObject | null): CelValue {
  if (object === null) return null;
  const known = converted.get(object);
  if (known !== undefined) return known;
  const value = untypedValue(object);
  converted.set(object, value);
  return value;
}

function requested({ request }: ExpressionInput) {
  const resource = readStruct(request['requestResource']);
  return {
    group: readText(resource['group']),
    resource: readText(resource['resource']),
    subresource: readText(request['requestSubResource']),
    namespace: readText(request['namespace']),
    name: readText(request['name']),
  };
}
