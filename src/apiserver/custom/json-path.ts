/**
 * Parses and evaluates JSONPath as Kubernetes uses it in printer columns and selectable fields.
 *
 *     .spec.replicas   .metadata.labels['a.b']   .items[0]   .items[-1]   .list[*].name
 *     .metadata.annotations.example\.com/a       .status.conditions[?(@.type=="Ready")].status
 *
 * A path that does not exist in the object finds nothing. Unions and several paths, which are rare in
 * columns, are not supported.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { jsonInteger } from '../../lib/json-text/exact-json.ts';

export interface JsonPath {
  /** All values at the path, in order. */
  find(root: Json): readonly Json[];
}

type Step = (value: Json) => readonly Json[];

/** Undefined: invalid or unsupported. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps = readSteps(text);
  if (!steps) return undefined;
  return {
    find: (root) => steps.reduce<readonly Json[]>((values, step) => values.flatMap(step), [root]),
  };
}

const FIELD = /^\.((?:\\.|[^.[\]\\])+)/;
const QUOTED = /^\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/;
const INDEX = /^\[\s*(-?\d+)\s*\]/;
const SLICE = /^\[\s*(-?\d*)\s*:\s*(-?\d*)\s*\]/;
const FILTER = /^\[\?\(\s*(@[^=!<>()]*?)\s*(?:(==|!=|<=|>=|<|>)\s*([^()]*?))?\s*\)\]/;
const DESCENT = /^\.\.((?:\\.|[^.[\]\\])+)/;

function readSteps(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('$') ? text.slice(1) : text;
  if (rest === '.') return steps;
  while (rest !== '') {
    const read = readStep(rest);
    if (!read) return undefined;
    steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return steps;
}

interface ReadStep {
  readonly step: Step;
  readonly length: number;
}

const READERS: readonly (readonly [RegExp, (match: RegExpExecArray) => Step | undefined])[] = [
  [DESCENT, ([, name = '']) => stepDown(unescape(name))],
  [/^\.\*|^\[\s*\*\s*\]/, () => childrenOf],
  [FIELD, ([, name = '']) => stepInto(unescape(name))],
  [QUOTED, ([, single, double]) => stepInto(unescape(single ?? double ?? ''))],
  [INDEX, ([, index = '']) => stepTo(Number(index))],
  [SLICE, ([, from = '', to = '']) => stepOver(from, to)],
  [FILTER, ([, path = '', operator, wanted = '']) => stepWhere(path, operator, wanted)],
];

function readStep(text: string): ReadStep | undefined {
  for (const [pattern, make] of READERS) {
    const match = pattern.exec(text);
    const step = match && make(match);
    if (match && step) return { step, length: match[0].length };
  }
  return undefined;
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function stepInto(name: string): Step {
  return (value) => {
    const inner = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return inner === undefined ? [] : [inner];
  };
}

function stepTo(index: number): Step {
  return (value) => {
    if (!Array.isArray(value)) return [];
    const item: Json | undefined = value.at(index);
    return item === undefined ? [] : [item];
  };
}

function stepOver(from: string, to: string): Step {
  return (value) => {
    if (!Array.isArray(value)) return [];
    const items: readonly Json[] = value;
    return items.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
  };
}

function childrenOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** A field of that name, at any depth. */
function stepDown(name: string): Step {
  const into = stepInto(name);
  const walk: Step = (value) => [...into(value), ...childrenOf(value).flatMap(walk)];
  return walk;
}

function stepWhere(path: string, operator: string | undefined, wanted: string): Step | undefined {
  const left = parseJsonPath(path.slice(1));
  const right = operator === undefined ? { find: () => [null] } : operandOf(wanted);
  if (!left || !right) return undefined;
  const holds = (item: Json): boolean => {
    const [found] = left.find(item);
    const [other] = right.find(item);
    if (found === undefined || other === undefined) return false;
    return operator === undefined || compare(found, operator, other);
  };
  return (value) => childrenOf(value).filter(holds);
}

/** The right side of a comparison: a text, a number, a boolean, or another path. */
function operandOf(text: string): JsonPath | undefined {
  if (text.startsWith('@')) return parseJsonPath(text.slice(1));
  const [, single, double] = /^(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")$/.exec(text) ?? [];
  const quoted = single ?? double;
  if (quoted !== undefined) return { find: () => [unescape(quoted)] };
  if (text === 'true' || text === 'false') return { find: () => [text === 'true'] };
  if (/^-?\d{1,19}$/.test(text)) {
    const integer = jsonInteger(BigInt(text));
    return { find: () => [integer] };
  }
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? undefined : { find: () => [number] };
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function compare(left: Json, operator: string, right: Json): boolean {
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const areNumbers = isNumber(left) && isNumber(right);
  const areTexts = typeof left === 'string' && typeof right === 'string';
  if (!areNumbers && !areTexts) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
