/**
 * Evaluates the CEL rules of a schema on an object, each on the value at its node.
 *
 * Rules are not evaluated on null: a rule about null belongs to the parent. Transition rules (those that use
 * oldSelf) are evaluated only where there is an old value, unless they set optionalOldSelf. All rules of an
 * object share one cost budget; if it is exhausted, the object is refused.
 */
import { Budget, CelError, CostExceeded, OptionalValue, type CelValue } from '../../../cel/cel.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import {
  correlateField,
  correlateItem,
  findItem,
  isUnchanged,
  type Correlation,
} from '../correlation.ts';
import { entryBelow, fieldBelow } from '../field-path.ts';
import type { Schema } from '../schema.ts';
import { NOWHERE } from '../value/finding.ts';
import { compileRules, type CompiledRule } from './compiled-rule.ts';
import { declaredType } from './declared-type.ts';
import { celValueOf } from './json-value.ts';

const RULE_COST_MAX = 1_000_000;
/**
 * kube-apiserver's limit is 10,000,000. It is lower here, because rules run on the thread that serves all
 * clients.
 */
const OBJECT_COST_MAX = 2_000_000;
const MESSAGE_BYTES_MAX = 5120;

/** The current position of the check. */
interface CheckedField {
  readonly schema: Schema;
  readonly isResource: boolean;
  readonly value: Json;
  readonly old: Json | undefined;
  /** Undefined: the old value is unknown. */
  readonly correlation: Correlation | undefined;
  /** The nearest parent whose old value is known. */
  readonly around: Correlation | undefined;
  readonly at: string;
}

/** The budget is exhausted: the rest is not checked. */
class Exhausted extends Error {}

export class RuleSet {
  readonly #schema: Schema;
  readonly isEmpty: boolean;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.isEmpty = !hasRules(schema);
  }

  /** `fieldPath`: the path of the value, if it is not a whole object. */
  check(value: Json, old: Json | undefined, fieldPath = ''): readonly FieldError[] {
    if (this.isEmpty) return [];
    const schema = this.#schema;
    const correlation = old === undefined ? undefined : { value, old, schema };
    const check = new Check();
    const isResource = fieldPath === '' || schema.isEmbedded;
    check.run({ schema, isResource, value, old, correlation, around: undefined, at: fieldPath });
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

  run(fieldPath: CheckedField): void {
    try {
      this.#visit(fieldPath);
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error;
    }
  }

  #visit(fieldPath: CheckedField): void {
    const { value, schema } = fieldPath;
    if (value === null || !hasRules(schema)) return;
    this.#askAll(fieldPath);
    if (Array.isArray(value)) this.#visitItems(fieldPath, value);
    else if (isJsonObject(value)) this.#visitFields(fieldPath);
  }

  #visitItems(fieldPath: CheckedField, list: readonly Json[]): void {
    const { schema, old, at } = fieldPath;
    if (!schema.items) return;
    const before: readonly Json[] = Array.isArray(old) ? old : [];
    for (const [index, value] of list.entries()) {
      this.#visit({
        schema: schema.items,
        isResource: schema.items.isEmbedded,
        value,
        old: findItem(before, value, schema),
        correlation: correlateItem(fieldPath.correlation, index),
        around: fieldPath.correlation ?? fieldPath.around,
        at: entryBelow(at, index),
      });
    }
  }

  #visitFields(fieldPath: CheckedField): void {
    const { schema, value, old, at } = fieldPath;
    if (!isJsonObject(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      const property = schema.properties.get(name);
      const additional = typeof schema.additional === 'object' ? schema.additional : undefined;
      const own = property ?? additional;
      if (!own) continue;
      const before = isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      // Both objects are in the same version, so these two never show a change.
      const isHidden = at === '' && (name === 'apiVersion' || name === 'kind');
      this.#visit({
        schema: own,
        isResource: own.isEmbedded,
        value: inner,
        old: before ?? undefined,
        correlation: isHidden ? undefined : correlateField(fieldPath.correlation, name),
        around: fieldPath.correlation ?? fieldPath.around,
        at: property ? fieldBelow(at, name) : entryBelow(at, name),
      });
    }
  }

  #askAll(fieldPath: CheckedField): void {
    const { schema, isResource } = fieldPath;
    if (schema.rules.length === 0 || !declaredType(schema, isResource)) return;
    for (const rule of compileRules(schema, isResource)) this.#ask(rule, fieldPath);
  }

  #ask(rule: CompiledRule, fieldPath: CheckedField): void {
    const { program, text, usesOldSelf } = rule;
    if (rule.fault !== undefined) this.#addProblem(fieldPath, `rule compile error: ${rule.fault}`);
    if (!program) return;
    const isOptional = text.optionalOldSelf ?? false;
    if (usesOldSelf && fieldPath.old === undefined && !isOptional) return;
    const budget = new Budget(RULE_COST_MAX);
    try {
      const values =
        usesOldSelf || isOptional ? valuesOf(fieldPath, isOptional) : [selfOf(fieldPath)];
      const answer = program.run(values, budget);
      this.#pay(budget, fieldPath);
      if (answer !== true) this.#refuse(rule, fieldPath, values);
    } catch (error) {
      this.#fail(error, rule, fieldPath);
    }
  }

  #pay(budget: Budget, fieldPath: CheckedField): void {
    this.#left -= budget.spent;
    if (this.#left >= 0) return;
    this.#addProblem(
      fieldPath,
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
    throw new Exhausted();
  }

  #fail(error: unknown, { text }: CompiledRule, fieldPath: CheckedField): void {
    if (!(error instanceof CelError)) throw error;
    const given = text.message.trim() || text.rule.trim();
    if (error instanceof CostExceeded) {
      const what =
        'no further validation rules will be run due to call cost exceeds limit for rule';
      this.#addProblem(fieldPath, `'${error.message}': ${what}: ${given}`);
      throw new Exhausted();
    }
    if (error.message.startsWith('no such overload')) {
      const what =
        'call arguments did not match a supported operator, function or macro signature for rule';
      this.#addProblem(fieldPath, `'${error.message}': ${what}: ${given}`);
      return;
    }
    this.#addProblem(fieldPath, `${error.message} evaluating rule: ${given}`);
  }

  #addProblem({ schema, at }: CheckedField, detail: string): void {
    this.errors.push({ type: 'Invalid', field: at || NOWHERE, value: schema.type, detail });
  }

  /** The rule is violated. An unchanged value is allowed, unless this is a transition rule. */
  #refuse(
    rule: CompiledRule,
    fieldPath: CheckedField,
    values: readonly (CelValue | undefined)[],
  ): void {
    const { text, usesOldSelf } = rule;
    if (!usesOldSelf && isUnchanged(fieldPath.correlation ?? fieldPath.around)) return;
    const detail =
      this.#messageOf(rule, values) ?? (text.message.trim() || `failed rule: ${text.rule.trim()}`);
    const field = rule.fieldPath === '' ? fieldPath.at : fieldBelow(fieldPath.at, rule.fieldPath);
    const isPart = ['object', 'array'].includes(fieldPath.schema.type);
    const value = isPart ? {} : { value: fieldPath.value };
    this.errors.push(errorOf(text.reason, field || NOWHERE, value, detail));
  }

  /** Undefined: there is no messageExpression, or its result is unusable. */
  #messageOf(
    { message }: CompiledRule,
    values: readonly (CelValue | undefined)[],
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

function selfOf({ value, schema, isResource }: CheckedField): CelValue {
  return celValueOf(value, schema, isResource);
}

function valuesOf(fieldPath: CheckedField, isOptional: boolean): readonly CelValue[] {
  const { schema, isResource, old } = fieldPath;
  const before = old === undefined ? undefined : celValueOf(old, schema, isResource);
  return [selfOf(fieldPath), isOptional ? new OptionalValue(before) : (before ?? null)];
}
