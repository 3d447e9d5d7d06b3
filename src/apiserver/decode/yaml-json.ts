/**
 * YAML text to JSON text, in time that is linear in the length of the text.
 *
 * The yaml package compares each key of a map with all keys before it, and its composer recurses. So
 * the package is not asked for either: nesting is counted in the tokens before anything is composed,
 * and equal keys are looked for with a set.
 *
 * These functions run on the main thread for small texts and, as source text, in a worker thread for
 * large ones (yaml-worker.ts). Therefore they use their arguments, each other, and nothing else.
 */
import type * as Yaml from 'yaml';

export interface YamlLimits {
  readonly levels: number;
  /** Of the JSON. Aliases are short in YAML and long in JSON. */
  readonly chars: number;
}

/** What a worker thread needs to define before it can call `yamlToJson`. */
export const YAML_TO_JSON_PARTS = [
  yamlToJson,
  isNestedDeeper,
  findEqualKey,
  describeEqualKey,
  fits,
];

/** Throws an Error whose message is meant for the client. YAML 1.1, as Kubernetes reads it. */
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
    // What looks like a time is a text, as it is to Kubernetes.
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !tag.tag.endsWith(':timestamp')),
  });
  if (document.errors[0]) throw document.errors[0];
  const equal = findEqualKey(yaml, document.contents);
  if (equal !== undefined) throw new Error(describeEqualKey(text, equal));
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (!fits(value, limits)) {
    throw new Error('the YAML is too large, or too deep, when its aliases are written out');
  }
  return JSON.stringify(value) ?? 'null';
}

function isNestedDeeper(tokens: Iterable<unknown>, levels: number): boolean {
  let level: unknown[] = [...tokens];
  // A token stands for a collection, or for a pair in it, or for a value: two tokens a level at most.
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

/** Where the first key stands that is in its map already. */
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

/** As the yaml package says it, with the line that holds the key. */
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

/** Parts that several aliases share are counted each time, as they are printed each time. */
function fits(value: unknown, { levels, chars }: YamlLimits): boolean {
  let left = chars;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return false;
    const next: unknown[] = [];
    for (const one of level) {
      left -= typeof one === 'string' ? one.length + 2 : 1;
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
