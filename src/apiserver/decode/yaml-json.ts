/**
 * Converts YAML to JSON text, in linear time.
 *
 * The yaml package compares each key of a map with all earlier keys, and its composer is recursive. So this
 * file checks nesting in the tokens before they are composed, and finds duplicate keys with a set.
 *
 * These functions run on the main thread for small texts. For large texts the source code of these functions
 * is sent to a worker thread (yaml-worker.ts), so they use only their arguments and each other.
 */
import type * as Yaml from 'yaml';

export interface YamlLimits {
  readonly levels: number;
  /** The limit for the JSON: an alias is short in YAML and may be long in JSON. */
  readonly chars: number;
  /** True: of duplicate keys the last one counts. Absent: they are refused. */
  readonly takesDuplicates?: boolean;
}

/** The functions that a worker thread must define before it can call `yamlToJson`. */
export const YAML_TO_JSON_PARTS = [
  yamlToJson,
  isNestedDeeper,
  findEqualKey,
  describeEqualKey,
  fits,
  keepIntegers,
  printWithIntegers,
];

/** Throws an Error whose message is sent to the client. Reads YAML 1.1, as Kubernetes does. */
export function yamlToJson(yaml: typeof Yaml, text: string, limits: YamlLimits): string {
  if (isNestedDeeper(new yaml.Parser().parse(text), limits.levels)) {
    throw new Error(
      `the object is nested too deeply: this server takes at most ${limits.levels} levels`,
    );
  }
  const document = yaml.parseDocument(text, {
    version: '1.1',
    merge: true,
    logLevel: 'error',
    uniqueKeys: false,
    // As in Go: a time of day (22:22) and a date are strings, 0o10 is a number, binary data is a string.
    customTags: (tags) => [
      ...tags.filter(
        (tag) =>
          typeof tag === 'string' ||
          (!tag.tag.endsWith(':timestamp') &&
            !tag.tag.endsWith(':binary') &&
            tag.format !== 'TIME'),
      ),
      {
        tag: 'tag:yaml.org,2002:int',
        default: true,
        test: /^[-+]?0o[0-7]+$/,
        resolve: (source: string) =>
          Number.parseInt(source.replace(/^[-+]?0o/, ''), 8) * (source.startsWith('-') ? -1 : 1),
      },
      {
        tag: 'tag:yaml.org,2002:binary',
        resolve: (source: string) => new TextDecoder().decode(Buffer.from(source, 'base64')),
      },
    ],
  });
  // Of several documents, only the first is read.
  const fault = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (fault) throw fault;
  const equal = limits.takesDuplicates ? undefined : findEqualKey(yaml, document.contents);
  if (equal !== undefined) throw new Error(describeEqualKey(text, equal));
  const hasIntegers = /\d{16}/.test(text) && keepIntegers(yaml, document.contents);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!fits(value, limits)) {
    throw new Error('the YAML is too large, or too deep, when its aliases are written out');
  }
  return hasIntegers ? printWithIntegers(value) : (JSON.stringify(value) ?? 'null');
}

function isNestedDeeper(tokens: Iterable<unknown>, levels: number): boolean {
  let level: unknown[] = [...tokens];
  // A token is a collection, a pair in it, or a value: at most two tokens per level.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > 2 * levels + 2) return true;
    const next: unknown[] = [];
    for (const token of level) {
      if (typeof token !== 'object' || token === null) continue;
      if ('items' in token && Array.isArray(token.items))
        for (const item of token.items) next.push(item);
      if ('key' in token) next.push(token.key);
      if ('value' in token) next.push(token.value);
    }
    level = next;
  }
  return false;
}

/** The position of the first duplicate key. */
function findEqualKey(yaml: typeof Yaml, root: unknown): number | undefined {
  let first: number | undefined;
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (yaml.isPair(node)) waiting.push(node.key, node.value);
    if (yaml.isSeq(node)) for (const item of node.items) waiting.push(item);
    if (!yaml.isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      waiting.push(key, value);
      if (!yaml.isScalar(key)) continue;
      const at = key.range?.[0] ?? 0;
      if (keys.has(key.value)) first = first === undefined ? at : Math.min(first, at);
      keys.add(key.value);
    }
  }
  return first;
}

/** Replaces rounded integers by their exact value. True: there were some. */
function keepIntegers(yaml: typeof Yaml, root: unknown): boolean {
  let hasFound = false;
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (yaml.isPair(node)) waiting.push(node.key, node.value);
    if (yaml.isCollection(node)) for (const item of node.items) waiting.push(item);
    if (!yaml.isScalar(node) || typeof node.value !== 'number') continue;
    const isRounded = Number.isInteger(node.value) && !Number.isSafeInteger(node.value);
    const digits = (node.source ?? '').replaceAll('_', '');
    if (!isRounded || !/^[-+]?[1-9]\d{14,18}$/.test(digits)) continue;
    node.value = BigInt(digits.replace('+', ''));
    hasFound = true;
  }
  return hasFound;
}

/** Expects that the depth was checked. */
function printWithIntegers(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(printWithIntegers).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${printWithIntegers(inner)}`,
  );
  return `{${fields.join(',')}}`;
}

/** The yaml package's own message, with the line of the key. */
function describeEqualKey(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const line = text.slice(0, start).split('\n').length;
  const [whole = ''] = text.slice(start).split(/[\r\n]/, 1);
  let column = at - start;
  const place = `Map keys must be unique at line ${line}, column ${column + 1}`;
  let shown = whole;
  if (column >= 60 && shown.length > 80) {
    const cut = Math.min(column - 39, shown.length - 79);
    shown = `…${shown.slice(cut)}`;
    column -= cut - 1;
  }
  if (shown.length > 80) shown = `${shown.slice(0, 79)}…`;
  let before = '';
  if (line > 1 && /^ *$/.test(shown.slice(0, column))) {
    before = text.slice(text.lastIndexOf('\n', start - 2) + 1, start);
    if (before.length > 80) before = `${before.slice(0, 79)}…\n`;
  }
  return `${place}:\n\n${before}${shown}\n${' '.repeat(column)}^\n`;
}

/** Parts that several aliases share count each time, because they are printed each time. */
function fits(value: unknown, { levels, chars }: YamlLimits): boolean {
  let left = chars;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false;
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one === 'number' && !Number.isFinite(one)) {
        throw new Error(`json: unsupported value: ${one}`);
      }
      left -= typeof one === 'string' ? one.length + 2 : typeof one === 'bigint' ? 20 : 1;
      if (left < 0) return false;
      if (typeof one !== 'object' || one === null) continue;
      if (Array.isArray(one)) for (const item of one) next.push(item);
      else {
        for (const [key, inner] of Object.entries(one)) {
          left -= key.length + 3;
          next.push(inner);
        }
      }
      if (next.length > left) return false;
    }
    level = next;
  }
  return true;
}
