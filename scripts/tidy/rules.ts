/**
 * Checks the house rules for one source file; docs/style.md explains them.
 *
 * `problems` yields each violation, with what to do instead. Files are parsed, not searched, so that a
 * comment about `Date.now` is allowed and `globalThis['Date']` is found.
 */
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { isNode, walk, type Node } from './walk.ts';

/** Each layer, and the layers from which it may import. A layer imports only layers above it in this list. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  api: ['lib'],
  cel: ['api', 'lib'],
  core: ['cel', 'api', 'lib'],
  ports: ['api', 'lib'],
  platform: ['ports', 'lib'],
  runtimes: ['ports', 'api', 'lib'],
  client: ['ports', 'api', 'lib'],
  apiserver: ['core', 'cel', 'ports', 'api', 'lib'],
  kubelet: ['core', 'cel', 'ports', 'api', 'lib'],
  server: ['kubelet', 'ports', 'api', 'lib'],
  dashboard: ['api', 'lib'],
  cli: [
    'server',
    'kubelet',
    'apiserver',
    'client',
    'runtimes',
    'platform',
    'ports',
    'core',
    'cel',
    'api',
    'lib',
  ],
};

const LINES_MAX = 400;

/** Global names that read a clock, set a timer or generate a random number. */
const CLOCKS: ReadonlySet<string> = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'performance',
  'crypto',
]);
const CLOCK_MODULES: ReadonlySet<string> = new Set([
  'node:timers',
  'node:timers/promises',
  'node:perf_hooks',
  'timers',
  'perf_hooks',
]);
/** Pure functions of `Date`, which do not read the clock. */
const PURE_DATE: ReadonlySet<string> = new Set(['UTC', 'parse']);
const PROCESS_STATE: ReadonlySet<string> = new Set(['env', 'argv', 'exit', 'exitCode', 'hrtime']);
const NEEDS_HEADER: ReadonlySet<string> = new Set(['cel', 'core', 'ports', 'kubelet', 'platform']);

/** `file` is relative to `src/`, with forward slashes. */
export function* problems(file: string, text: string): Generator<string> {
  const layer = layerOf(file);
  const isTest = file.endsWith('.test.ts');
  if (layer !== '' && !MAY_IMPORT[layer]) {
    yield `${file}: there is no layer ${layer}/; add it to scripts/tidy/rules.ts and docs/architecture.md`;
  }
  const lines = text.split('\n').length - 1;
  if (lines > LINES_MAX) yield `${file}: ${lines} lines; split it by idea (at most ${LINES_MAX})`;
  if (/\b(?:FIXME|TODO)\b/.test(text))
    yield `${file}: unfinished; finish it, or write down why not`;
  if (!isTest && NEEDS_HEADER.has(layer) && !text.startsWith('/**')) {
    yield `${file}: has no header; open with what it decides and why`;
  }
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) yield `${file}: does not parse: ${errors[0]?.message}`;
  for (const { node, parent } of walk(program as unknown as Node)) {
    const problem =
      problemOfImport(node, file, layer, isTest) ??
      (layer === 'platform' ? undefined : problemOfClock(node, parent)) ??
      (isTest ? undefined : problemOfProcess(node, layer)) ??
      (layer === 'core' ? problemOfImpurity(node, isTest) : undefined) ??
      problemOfAny(node);
    if (problem) yield `${file}:${lineOf(text, node)}: ${problem}`;
  }
}

function problemOfImport(
  node: Node,
  file: string,
  layer: string,
  isTest: boolean,
): string | undefined {
  const source = node['source'];
  const target = isNode(source) && source.type === 'Literal' ? source['value'] : undefined;
  if (typeof target !== 'string') return undefined;
  if (CLOCK_MODULES.has(target) && layer !== 'platform') {
    return `"${target}" does not belong in ${layer}/; take a Clock`;
  }
  if (!target.startsWith('.') || isTest || layer === '') return undefined;
  const other = layerOf(path.posix.join(path.posix.dirname(file), target));
  if (other === layer || MAY_IMPORT[layer]?.includes(other)) return undefined;
  return other === ''
    ? `${layer}/ may not import from outside the layers (${target})`
    : `${layer}/ may not import ${other}/`;
}

function problemOfClock(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'Identifier' && isReference(node, parent)) {
    const name = String(node['name']);
    if (CLOCKS.has(name)) return `"${name}" does not belong here; take a Clock or a Random`;
    if (name === 'Date' && !isPureDate(parent)) return 'tells the time; take a Clock';
    return undefined;
  }
  const [object, property] = memberOf(node);
  if (object === 'AbortSignal' && property === 'timeout') return 'sets a timer; take a Clock';
  if (object === 'Math' && property === 'random') return 'draws a random number; take a Random';
  if (object === 'globalThis') {
    return `reaches for globalThis.${property ?? '…'}; name what you need`;
  }
  // Sockets and requests have their own timers.
  if (property === 'setTimeout') return `sets a timer on ${object ?? 'something'}; take a Clock`;
  return undefined;
}

/** `Date.UTC(…)`, or `new Date(ms)` with an argument. */
function isPureDate(parent: Node | undefined): boolean {
  if (parent?.type === 'NewExpression') {
    const args = parent['arguments'];
    return Array.isArray(args) && args.length > 0;
  }
  const [, property] = parent ? memberOf(parent) : [];
  return property !== undefined && PURE_DATE.has(property);
}

function problemOfProcess(node: Node, layer: string): string | undefined {
  if (layer === 'cli' || layer === '') return undefined;
  const [object, property] = memberOf(node);
  if (object === 'process' && PROCESS_STATE.has(property ?? '')) {
    return `process.${property} does not belong in ${layer}/; let cli/ pass it in`;
  }
  return undefined;
}

/** core/ may not wait or do I/O: it decides, and a driver acts. */
function problemOfImpurity(node: Node, isTest: boolean): string | undefined {
  if (isTest) return undefined;
  if (node.type === 'AwaitExpression' || node['async'] === true) {
    return 'waits; core/ returns an effect and lets kubelet/ wait';
  }
  const source = node['source'];
  const target = isNode(source) ? source['value'] : undefined;
  if (typeof target === 'string' && target.startsWith('node:')) {
    return `core/ may not import ${target}; return an effect`;
  }
  return undefined;
}

function problemOfAny(node: Node): string | undefined {
  return node.type === 'TSAnyKeyword' ? 'any says nothing; type it' : undefined;
}

/** Whether an identifier refers to a value, and is not the name of a property, a key or a type. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (!parent) return true;
  if (parent.type === 'MemberExpression')
    return parent['object'] === node || parent['computed'] === true;
  if (parent.type === 'Property') return parent['value'] === node;
  return !parent.type.startsWith('TS');
}

/** The names in `object.property` or `object['property']`. */
function memberOf(node: Node): readonly [object?: string, property?: string | undefined] {
  if (node.type !== 'MemberExpression') return [];
  const { object, property } = node;
  if (!isNode(object) || !isNode(property) || object.type !== 'Identifier') return [];
  const name = property.type === 'Literal' ? property['value'] : property['name'];
  return [String(object['name']), typeof name === 'string' ? name : undefined];
}

function layerOf(file: string): string {
  const [first = '', ...rest] = file.split('/');
  return rest.length === 0 ? '' : first;
}

function lineOf(text: string, node: Node): number {
  return text.slice(0, node.start).split('\n').length;
}
