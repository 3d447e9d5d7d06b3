/**
 * Asks the rules of a schema about an object, each about the part at which it stands.
 *
 * Null is never asked about: what wants to know whether something is null stands above it. Rules that
 * compare with the old value are asked only where there is one, unless they say that they can do
 * without. All rules of an object share one budget; when that is used up, the object is refused.
 */
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { FieldError } from '../../field-error.ts';
import {
  correlateField,
  correlateItem,
  findItem,
  isUnchanged,
  type Correlation,
} from '../correlation.ts';
import { entryBelow, fieldBelow } from '../place.ts';
import type { Schema } from '../schema.ts';
import { NOWHERE } from '../value/finding.ts';
import { compileRules, type CompiledRule } from './compiled-rule.ts';
import { declaredType } from './declared-type.ts';
import { Budget, CelError, CostExceeded } from './fault.ts';
import { readJson } from './json-value.ts';
import { OptionalValue, type Value } from './value.ts';

const RULE_COST_MAX = 1_000_000;
/** kube-apiserver lets an object cost 10,000,000. Here rules run on the thread that serves all clients. */
const OBJECT_COST_MAX = 2_000_000;
const MESSAGE_BYTES_MAX = 5120;

/** Where the check stands. */
interface Place {
  readonly schema: Schema;
  readonly isResource: boolean;
  readonly value: Json;
  readonly old: Json | undefined;
  /** Undefined: nobody can tell what the value was before. */
  readonly correlation: Correlation | undefined;
  /** The nearest around it of which one can tell. */
  readonly around: Correlation | undefined;
  readonly at: string;
}

/** Enough has been done: what follows is not looked at. */
class Exhausted extends Error {}

export class RuleSet {
  readonly #schema: Schema;
  readonly isEmpty: boolean;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.isEmpty = !hasRules(schema);
  }

  /** `place`: where the value stands, if it is no whole object. */
  check(value: Json, old: Json | undefined, place = ''): readonly FieldError[] {
    if (this.isEmpty) return [];
    const schema = this.#schema;
    const correlation = old === undefined ? undefined : { value, old, schema };
    const check = new Check();
    const isResource = place === '' || schema.isEmbedded;
    check.run({ schema, isResource, value, old, correlation, around: undefined, at: place });
    return check.errors;
  }
}

function hasRules(schema: Schema): boolean {
  const { items, additional } = schema;
  return (
    schema.rules.length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (typeof additional === 'object' && hasRules(additional)) ||
    [...schema.properties.values()].some(hasRules)
  );
}

class Check {
  readonly errors: FieldError[] = [];
  #left = OBJECT_COST_MAX;

  run(place: Place): void {
    try {
      this.#visit(place);
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error;
    }
  }

  #visit(place: Place): void {
    const { value, schema } = place;
    if (value === null || !hasRules(schema)) return;
    this.#askAll(place);
    if (Array.isArray(value)) this.#visitItems(place, value);
    else if (isJsonObject(value)) this.#visitFields(place);
  }

  #visitItems(place: Place, list: readonly Json[]): void {
    const { schema, old, at } = place;
    if (!schema.items) return;
    const before: readonly Json[] = Array.isArray(old) ? old : [];
    for (const [index, value] of list.entries()) {
      this.#visit({
        schema: schema.items,
        isResource: schema.items.isEmbedded,
        value,
        old: findItem(before, value, schema),
        correlation: correlateItem(place.correlation, index),
        around: place.correlation ?? place.around,
        at: entryBelow(at, index),
      });
    }
  }

  #visitFields(place: Place): void {
    const { schema, value, old, at } = place;
    if (!isJsonObject(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      const property = schema.properties.get(name);
      const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
      const own = property ?? additional;
      if (!own) continue;
      const before = isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      // Both objects are shown in the same version, so these two tell nothing of a change.
      const isHidden = at === '' && (name === 'apiVersion' || name === 'kind');
      this.#visit({
        schema: own,
        isResource: own.isEmbedded,
        value: inner,
        old: before ?? undefined,
        correlation: isHidden ? undefined : correlateField(place.correlation, name),
        around: place.correlation ?? place.around,
        at: property ? fieldBelow(at, name) : entryBelow(at, name),
      });
    }
  }

  #askAll(place: Place): void {
    const { schema, isResource } = place;
    if (schema.rules.length === 0 || !declaredType(schema, isResource)) return;
    for (const rule of compileRules(schema, isResource)) this.#ask(rule, place);
  }

  #ask(rule: CompiledRule, place: Place): void {
    const { program, text, usesOldSelf } = rule;
    if (rule.fault !== undefined) this.#complain(place, `rule compile error: ${rule.fault}`);
    if (!program) return;
    const isOptional = text.optionalOldSelf ?? false;
    if (usesOldSelf && place.old === undefined && !isOptional) return;
    const budget = new Budget(RULE_COST_MAX);
    try {
      const values = usesOldSelf || isOptional ? valuesOf(place, isOptional) : [selfOf(place)];
      const answer = program.run(values, budget);
      this.#pay(budget, place);
      if (answer !== true) this.#refuse(rule, place, values);
    } catch (error) {
      this.#fail(error, rule, place);
    }
  }

  #pay(budget: Budget, place: Place): void {
    this.#left -= budget.spent;
    if (this.#left >= 0) return;
    this.#complain(
      place,
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
    throw new Exhausted();
  }

  #fail(error: unknown, { text }: CompiledRule, place: Place): void {
    if (!(error instanceof CelError)) throw error;
    const said = text.message.trim() || text.rule.trim();
    if (error instanceof CostExceeded) {
      const what =
        'no further validation rules will be run due to call cost exceeds limit for rule';
      this.#complain(place, `'${error.message}': ${what}: ${said}`);
      throw new Exhausted();
    }
    if (error.message.startsWith('no such overload')) {
      const what =
        'call arguments did not match a supported operator, function or macro signature for rule';
      this.#complain(place, `'${error.message}': ${what}: ${said}`);
      return;
    }
    this.#complain(place, `${error.message} evaluating rule: ${said}`);
  }

  #complain({ schema, at }: Place, detail: string): void {
    this.errors.push({ type: 'Invalid', field: at || NOWHERE, value: schema.type, detail });
  }

  /** The rule says no. What was the same before may stay as it is. */
  #refuse(rule: CompiledRule, place: Place, values: readonly (Value | undefined)[]): void {
    const { text, usesOldSelf } = rule;
    if (!usesOldSelf && isUnchanged(place.correlation ?? place.around)) return;
    const detail =
      this.#messageOf(rule, values) ?? (text.message.trim() || `failed rule: ${text.rule.trim()}`);
    const field = rule.place === '' ? place.at : fieldBelow(place.at, rule.place);
    const isPart = ['object', 'array'].includes(place.schema.type);
    const value = isPart ? {} : { value: place.value };
    this.errors.push(errorOf(text.reason, field || NOWHERE, value, detail));
  }

  /** Undefined: there is none, or it is of no use. */
  #messageOf(
    { message }: CompiledRule,
    values: readonly (Value | undefined)[],
  ): string | undefined {
    if (!message) return undefined;
    const budget = new Budget(Math.min(RULE_COST_MAX, this.#left));
    try {
      const made = message.run(values, budget);
      const text = typeof made === 'string' ? made.trim() : '';
      const isUsable =
        text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES_MAX;
      return isUsable ? text : undefined;
    } catch (error) {
      if (!(error instanceof CelError) || error instanceof CostExceeded) throw error;
      return undefined;
    } finally {
      this.#left -= budget.spent;
    }
  }
}

function errorOf(
  reason: string,
  field: string,
  value: { readonly value?: Json },
  detail: string,
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return { type: 'Forbidden', field, detail };
    case 'FieldValueRequired':
      return { type: 'Required', field, detail };
    case 'FieldValueDuplicate':
      return { type: 'Duplicate', field, ...value, detail: '' };
    default:
      return { type: 'Invalid', field, ...value, detail };
  }
}

function selfOf({ value, schema, isResource }: Place): Value {
  return readJson(value, schema, isResource);
}

function valuesOf(place: Place, isOptional: boolean): readonly Value[] {
  const { schema, isResource, old } = place;
  const before = old === undefined ? undefined : readJson(old, schema, isResource);
  return [selfOf(place), isOptional ? new OptionalValue(before) : (before ?? null)];
}
