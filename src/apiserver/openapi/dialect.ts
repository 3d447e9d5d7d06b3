/**
 * The differences between the two versions of OpenAPI.
 *
 * Version 3 supports alternatives (oneOf), but allows no fields beside a reference, so a reference with a
 * description is wrapped in an `allOf`. Version 2 has no alternatives, and its documents omit defaults
 * because old clients fail on them.
 */
import type { Special } from '../../api/schema/shape.ts';
import type { JsonObject } from '../../lib/json.ts';

export interface Dialect {
  /** The prefix of a reference to a definition. */
  readonly definitionsAt: string;
  readonly hasDefaults: boolean;
  /** Types whose JSON differs from their Go fields. */
  readonly specials: Readonly<Record<Special, JsonObject>>;
  /** A reference with additional fields. */
  readonly refer: (ref: string, beside: JsonObject) => JsonObject;
}

const STRING: JsonObject = { type: 'string' };
const OBJECT: JsonObject = { type: 'object' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };

const COMMON = {
  Time: TIME,
  MicroTime: TIME,
  Duration: STRING,
  RawExtension: OBJECT,
  FieldsV1: OBJECT,
  JSON: {},
  JSONSchemaPropsOrBool: {},
  JSONSchemaPropsOrArray: {},
  JSONSchemaPropsOrStringArray: {},
};

export const V3: Dialect = {
  definitionsAt: '#/components/schemas/',
  hasDefaults: true,
  specials: {
    ...COMMON,
    Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    IntOrString: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  },
  refer: (ref, beside) =>
    Object.keys(beside).length === 0 ? { $ref: ref } : { ...beside, allOf: [{ $ref: ref }] },
};

export const V2: Dialect = {
  definitionsAt: '#/definitions/',
  hasDefaults: false,
  specials: {
    ...COMMON,
    Quantity: STRING,
    IntOrString: { type: 'string', format: 'int-or-string' },
  },
  refer: (ref, beside) => ({ ...beside, $ref: ref }),
};
