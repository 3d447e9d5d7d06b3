/**
 * The variables that alert rules can read, their CEL types, and the conversion of JSON to CEL values. Rules
 * are checked against these types when they are loaded.
 *
 *     pod          the Pod of core/v1, with its newest status       node      the Node of core/v1
 *     containers   views of its containers, init containers too     metrics   figures of this node
 *     container    one of them                                      samples   sums of /metrics by name
 *     volumes      volumes with a file system of their own          now       the time of the evaluation
 *     decisions    the newest decisions about the pod
 */
import { structOf } from '../../api/schema/schema.ts';
import type { Shape, StructType } from '../../api/schema/shape.ts';
import {
  DYN,
  ListValue,
  MapValue,
  ObjectValue,
  readTimestamp,
  STRING,
  type CelType,
  type CelValue,
  type ObjectFields,
} from '../../cel/cel.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';

export type AlertInput =
  | 'pod'
  | 'containers'
  | 'container'
  | 'volumes'
  | 'decisions'
  | 'node'
  | 'metrics'
  | 'samples'
  | 'now';

const BOOL: CelType = { kind: 'bool' };
const INT: CelType = { kind: 'int' };
const DOUBLE: CelType = { kind: 'double' };
const TIMESTAMP: CelType = { kind: 'timestamp' };

const CONTAINER = objectOf({
  name: STRING,
  image: STRING,
  ready: BOOL,
  restartCount: INT,
  state: STRING,
  waitingReason: STRING,
  waitingMessage: STRING,
  terminatedReason: STRING,
  exitCode: INT,
  recentRestarts: INT,
  recentReadyChanges: INT,
  recentOomKills: INT,
});

const VOLUME = objectOf({
  name: STRING,
  capacityBytes: DOUBLE,
  availableBytes: DOUBLE,
  inodes: DOUBLE,
  inodesFree: DOUBLE,
  /** 0 to 1; the larger one of bytes and inodes. */
  used: DOUBLE,
});

const DECISION = objectOf({
  at: TIMESTAMP,
  machine: STRING,
  from: STRING,
  to: STRING,
  why: STRING,
  waitsFor: STRING,
  attempts: INT,
});

const METRICS = objectOf({
  apiSilentSeconds: DOUBLE,
  statusWriteLagSeconds: DOUBLE,
  clockSkewSeconds: DOUBLE,
  clientCertificateSeconds: DOUBLE,
  servingCertificateSeconds: DOUBLE,
});

const structTypes = new Map<string, CelType>();

/** In the order in which programs get the values. */
const VARIABLES: ReadonlyMap<AlertInput, () => CelType> = new Map<AlertInput, () => CelType>([
  ['pod', () => structType(structOf('core/v1.Pod'))],
  ['containers', () => ({ kind: 'list', item: CONTAINER })],
  ['container', () => CONTAINER],
  ['volumes', () => ({ kind: 'list', item: VOLUME })],
  ['decisions', () => ({ kind: 'list', item: DECISION })],
  ['node', () => structType(structOf('core/v1.Node'))],
  ['metrics', () => METRICS],
  ['samples', () => ({ kind: 'map', key: STRING, value: DOUBLE })],
  ['now', () => TIMESTAMP],
]);

let declared: ReadonlyMap<AlertInput, CelType> | undefined;

/** Built at the first call, because the types of a Pod take a few milliseconds. */
export function ruleVariables(): ReadonlyMap<AlertInput, CelType> {
  declared ??= new Map([...VARIABLES].map(([name, type]) => [name, type()]));
  return declared;
}

export type RuleInputs = Partial<Readonly<Record<AlertInput, Json>>>;

/** Values of the inputs, in the order of the variables. A node that is not known has no fields. */
export function ruleValues(inputs: RuleInputs): readonly (CelValue | undefined)[] {
  return [...ruleVariables()].map(([name, type]) => {
    const json = inputs[name];
    return json === undefined ? undefined : valueOf(json, type);
  });
}

/** Converts JSON by its CEL type: the same JSON number can be an int or a double. */
function valueOf(json: Json, type: CelType): CelValue {
  if (json === null) return null;
  if (type.kind === 'object' && isJsonObject(json)) return new ObjectValue(json, readerOf(type));
  if (type.kind === 'list' && Array.isArray(json)) {
    const items: readonly Json[] = json;
    return new ListValue(items.map((item) => valueOf(item, type.item)));
  }
  if (type.kind === 'map' && isJsonObject(json)) return mapOf(json, type.value);
  if (type.kind === 'double' && typeof json === 'number') return json;
  if (type.kind === 'timestamp' && typeof json === 'string') return readTimestamp(json) ?? null;
  return plainValue(json);
}

function plainValue(json: Json): CelValue {
  if (typeof json === 'bigint') return json;
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json;
  if (isJsonObject(json)) return mapOf(json, DYN);
  return new ListValue(json.map(plainValue));
}

function mapOf(json: JsonObject, type: CelType): MapValue {
  return new MapValue(Object.entries(json).map(([name, one]) => [name, valueOf(one, type)]));
}

const readers = new WeakMap<object, ObjectFields>();

function readerOf(type: CelType & { kind: 'object' }): ObjectFields {
  const known = readers.get(type);
  if (known) return known;
  const reader: ObjectFields = {
    has: (name) => type.fields.has(name),
    read: (name, value) => {
      const field = type.fields.get(name);
      return field && valueOf(value, field);
    },
  };
  readers.set(type, reader);
  return reader;
}

function structType(struct: StructType): CelType {
  const known = structTypes.get(struct.name);
  if (known) return known;
  const fields = new Map<string, CelType>();
  const type: CelType = { kind: 'object', fields };
  // Stored before its fields are resolved: a type may contain itself.
  structTypes.set(struct.name, type);
  for (const { name, shape } of struct.fields) fields.set(name, shapeType(shape));
  return type;
}

function shapeType(shape: Shape): CelType {
  switch (shape.kind) {
    case 'struct':
      return structType(shape.type);
    case 'list':
      return { kind: 'list', item: shapeType(shape.item) };
    case 'map':
      return { kind: 'map', key: STRING, value: shapeType(shape.value) };
    case 'special':
      if (shape.special === 'Time' || shape.special === 'MicroTime') return TIMESTAMP;
      return shape.special === 'Quantity' ? STRING : DYN;
    case 'scalar':
      return scalarType(shape.scalar);
  }
}

function scalarType(scalar: string): CelType {
  if (scalar === 'string' || scalar === 'bytes') return STRING;
  if (scalar === 'bool') return BOOL;
  return scalar === 'float' || scalar === 'double' ? DOUBLE : INT;
}

function objectOf(fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'object', fields: new Map(Object.entries(fields)) };
}
