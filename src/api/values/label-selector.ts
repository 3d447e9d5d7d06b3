/**
 * Matches objects by their labels (label selectors).
 *
 * A selector is a list of requirements that must all hold (L-1). The empty list matches every object. An API
 * object may also omit its selector, which then matches no object (see `selectorFromObject`). An omitted
 * selector is represented by a list with one requirement that nothing satisfies, so it keeps its meaning when
 * it is copied or joined with others.
 *
 * `label-selector-text.ts` reads and writes the form with commas that kubectl and URLs use.
 */
import { unreachable } from '../../lib/assert.ts';
import { selectorInvalid } from './selector-error.ts';
import { checkLabelKey, checkLabelValue } from '../validation-names.ts';

/** `exists` and `!` stand alone; `gt` and `lt` are written > and < in the text. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type LabelSelector = readonly LabelRequirement[];

export type Labels = Readonly<Record<string, string>>;

/** The `selector` of an API object: metav1.LabelSelector. */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?: readonly LabelExpression[] | null;
}

export interface LabelExpression {
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist; whatever else a client sends is refused. */
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

export const EVERYTHING: LabelSelector = [];

/** An `in` requirement without values, which no label satisfies. */
export const NOTHING: LabelSelector = [{ key: '', operator: 'in', values: [] }];

export function matchesLabels(selector: LabelSelector, labels: Labels | null | undefined): boolean {
  return selector.every((requirement) => {
    const { key } = requirement;
    return holdsFor(requirement, labels && Object.hasOwn(labels, key) ? labels[key] : undefined);
  });
}

/** An absent selector matches nothing, an empty one everything. */
export function selectorFromObject(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (!object) return NOTHING;
  const requirements = [
    ...Object.entries(object.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
      key,
      operator: '=',
      values: [value],
    })),
    ...(object.matchExpressions ?? []).map((expression) => toRequirement(object, expression)),
  ];
  for (const requirement of requirements) {
    const reason = checkRequirement(requirement);
    if (reason) throw selectorInvalid({ kind: 'label', text: JSON.stringify(object), reason });
  }
  return requirements.sort(byKey);
}

/** All errors of a requirement in one sentence. Undefined: it is valid. */
export function checkRequirement(requirement: LabelRequirement): string | undefined {
  const { key, values } = requirement;
  const problems: string[] = [];
  const report = (path: string, value: unknown, details: readonly string[]): void => {
    if (details.length === 0) return;
    problems.push(`${path}: Invalid value: ${JSON.stringify(value)}: ${details.join('; ')}`);
  };
  report('key', key, checkLabelKey(key));
  report('values', values, checkCount(requirement));
  for (const [index, value] of values.entries()) {
    report(`values[${index}]`, value, checkInteger(requirement, value));
  }
  for (const [index, value] of values.entries()) {
    report(`values[${index}][${key}]`, value, checkLabelValue(value));
  }
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

/** Orders requirements by key, so that the order in which they were written does not matter. */
export function byKey(a: LabelRequirement, b: LabelRequirement): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function toRequirement(
  object: LabelSelectorObject,
  { key, operator: name, values }: LabelExpression,
): LabelRequirement {
  const operator = OPERATORS.get(name);
  if (operator) return { key, operator, values: values ?? [] };
  const reason = `${JSON.stringify(name)} is not a valid label selector operator`;
  throw selectorInvalid({ kind: 'label', text: JSON.stringify(object), reason });
}

function holdsFor({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return isBeyond(operator, value, values[0]);
    default:
      return unreachable(operator);
  }
}

/** A label that is not an integer is neither greater nor less than anything. */
function isBeyond(
  operator: 'gt' | 'lt',
  value: string | undefined,
  limit: string | undefined,
): boolean {
  const [left, right] = [parseInt64(value), parseInt64(limit)];
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

function checkCount({ operator, values }: LabelRequirement): readonly string[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : ["for 'in', 'notin' operators, values set can't be empty"];
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : ['exact-match compatibility requires one single value'];
    case 'exists':
    case '!':
      return values.length === 0 ? [] : ['values set must be empty for exists and does not exist'];
    case 'gt':
    case 'lt':
      return values.length === 1 ? [] : ["for 'Gt', 'Lt' operators, exactly one value is required"];
    default:
      return unreachable(operator);
  }
}

function checkInteger({ operator }: LabelRequirement, value: string): readonly string[] {
  if (operator !== 'gt' && operator !== 'lt') return [];
  if (parseInt64(value) !== undefined) return [];
  return ["for 'Gt', 'Lt' operators, the value must be an integer"];
}

function parseInt64(text: string | undefined): bigint | undefined {
  const found = /^([-+]?)0*(\d{1,19})$/.exec(text ?? '');
  if (!found) return undefined;
  const size = BigInt(found[2] ?? '');
  const value = found[1] === '-' ? -size : size;
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}
