/**
 * Parses and prints the text of a label selector: `app=web,tier in (front,back),!legacy` (L-1).
 *
 *     selector     requirement { "," requirement }, or nothing
 *     requirement  key | "!" key | key operator value | key ("in" | "notin") "(" values ")"
 *     operator     "=" | "==" | "!=" | "<" | ">"
 *     value        a word, or nothing: the empty string
 *
 * A word ends at a blank or at one of `= ! ( ) , < >`. The words `in` and `notin` are operators only
 * where an operator is expected, so they are valid as keys and values. Requirements come back in the
 * order of their keys, and the values of a list sorted and without duplicates.
 */
import { unreachable } from '../../lib/assert.ts';
import type { LabelOperator, LabelRequirement, LabelSelector } from './label-selector.ts';
import { byKey, checkRequirement } from './label-selector.ts';
import { selectorInvalid } from './selector-error.ts';
import { checkLabelKey } from '../validation-names.ts';

type BinaryOperator = Exclude<LabelOperator, 'exists' | '!'>;

const TOKEN = /==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g;

const BINARY_OPERATORS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  if (tokens.peek() === '') return requirements;
  if (!startsRequirement(tokens.peek())) {
    return tokens.refuse(tokens.next(), "expected: !, identifier, or 'end of string'");
  }
  for (;;) {
    requirements.push(parseRequirement(tokens));
    const token = tokens.next();
    if (token === '') return requirements.sort(byKey);
    if (token !== ',') return tokens.refuse(token, "expected: ',' or 'end of string'");
    if (!startsRequirement(tokens.peek())) {
      return tokens.refuse(tokens.next(), "expected: identifier after ','");
    }
  }
}

/** A text that parses back to the same selector. NOTHING has no such text; it is only shown. */
export function formatLabelSelector(selector: LabelSelector): string {
  if (selector.some(({ operator, values }) => operator === 'in' && values.length === 0)) {
    return '<nothing>';
  }
  return selector.map(formatRequirement).join(',');
}

/** The words and signs of a selector, one at a time. The end is an empty word. */
class Tokens {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(TOKEN) ?? [];
  }

  peek(): string {
    return this.#tokens[this.#position] ?? '';
  }

  next(): string {
    const token = this.peek();
    this.#position += 1;
    return token;
  }

  refuse(found: string, expected: string): never {
    return this.fail(`found '${found}', ${expected}`);
  }

  fail(reason: string): never {
    throw selectorInvalid({ kind: 'label', text: this.#text, reason });
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const absent = tokens.peek() === '!';
  if (absent) tokens.next();
  const key = tokens.next();
  if (!isWord(key)) return refuseRequirement(tokens, key, 'expected: identifier');
  const problems = checkLabelKey(key);
  if (problems.length > 0) {
    const detail = `key: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`;
    return tokens.fail(`unable to parse requirement: ${detail}`);
  }
  if (absent) return { key, operator: '!', values: [] };
  if (endsRequirement(tokens.peek())) return { key, operator: 'exists', values: [] };

  const operator = parseOperator(tokens);
  const isList = operator === 'in' || operator === 'notin';
  const values = isList ? parseList(tokens) : [parseValue(tokens)];
  const requirement = { key, operator, values };
  const reason = checkRequirement(requirement);
  return reason ? tokens.fail(`unable to parse requirement: ${reason}`) : requirement;
}

function parseOperator(tokens: Tokens): BinaryOperator {
  const token = tokens.next();
  const operator = BINARY_OPERATORS.get(token);
  return operator ?? refuseRequirement(tokens, token, 'expected: in, notin, =, ==, !=, gt, lt');
}

function parseValue(tokens: Tokens): string {
  if (endsRequirement(tokens.peek())) return '';
  const token = tokens.next();
  return isWord(token) ? token : refuseRequirement(tokens, token, 'expected: identifier');
}

/** The values between parentheses. Nothing between two commas is the empty string. */
function parseList(tokens: Tokens): readonly string[] {
  const open = tokens.next();
  if (open !== '(') {
    // Kubernetes' message has no comma here, unlike the others.
    return tokens.fail(`unable to parse requirement: found '${open}' expected: '('`);
  }
  const values = new Set<string>();
  for (;;) {
    values.add(isWord(tokens.peek()) ? tokens.next() : '');
    const token = tokens.next();
    if (token === ')') return [...values].sort();
    if (token !== ',') return refuseRequirement(tokens, token, "expected: ',' or ')'");
  }
}

function refuseRequirement(tokens: Tokens, found: string, expected: string): never {
  return tokens.fail(`unable to parse requirement: found '${found}', ${expected}`);
}

function isWord(token: string): boolean {
  return token !== '' && !/^[=!(),<>]/.test(token);
}

function startsRequirement(token: string): boolean {
  return token === '!' || isWord(token);
}

function endsRequirement(token: string): boolean {
  return token === '' || token === ',';
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.toSorted().join(',')})`;
    case 'gt':
      return `${key}>${values.join(',')}`;
    case 'lt':
      return `${key}<${values.join(',')}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${values.join(',')}`;
    default:
      return unreachable(operator);
  }
}
