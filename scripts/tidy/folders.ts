/**
 * Checks the structure of `src/`: the import order of sub-folders, the number of files in a folder, and that
 * a layer exports each name once.
 */
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { isNode, walk, type Node } from './walk.ts';

/**
 * A file may import from its own folder and from folders earlier in the list. The empty name stands for files
 * directly in the layer, which connect the parts.
 */
export const FOLDER_ORDER: Readonly<Record<string, readonly string[]>> = {
  kubelet: [
    'waiting',
    'metrics',
    'events',
    'pod-workers',
    'status-manager',
    'tracing',
    'certificates',
    'cgroups',
    'object-cache',
    'logs',
    'volumes',
    'environment',
    'allocation-state',
    'allocation',
    'node',
    'images',
    'containers',
    'probes',
    'pleg',
    'pod-manager',
    'sources',
    'sync-pod',
    'sync-loop',
    'stats',
    'eviction',
    'query',
    'alerts',
    'node-shutdown',
    'admission',
    '',
  ],
  apiserver: [
    'objects',
    'decode',
    'schema',
    'expressions',
    'requests',
    'flow',
    'audit',
    'at-rest',
    'store',
    'registry',
    'watch',
    'custom',
    'kinds',
    'actions',
    'admission',
    'auth',
    'bootstrap',
    'connect',
    'metrics-api',
    'controllers',
    'aggregation',
    'openapi',
    'pki',
    'http',
    '',
  ],
};

const FILES_MAX = 25;

/** The names that every state machine of core/ exports: `import * as podWorker` gives `podWorker.decide`. */
const MACHINE_NAMES: ReadonlySet<string> = new Set([
  'State',
  'Event',
  'Effect',
  'Decision',
  'Outcome',
  'initial',
  'decide',
  'enter',
  'hear',
  'settle',
  'housekeep',
]);

/** `file` is relative to `src/`. Tests may import anything. */
export function* orderProblems(file: string, text: string): Generator<string> {
  const [layer = '', ...rest] = file.split('/');
  const order = FOLDER_ORDER[layer];
  if (!order || file.endsWith('.test.ts')) return;
  const own = order.indexOf(rest.length > 1 ? (rest[0] ?? '') : '');
  if (own === -1) yield `${file}: ${layer}/${rest[0]} has no place in FOLDER_ORDER`;
  for (const target of importsOf(file, text)) {
    const [otherLayer, ...others] = target.split('/');
    if (otherLayer !== layer) continue;
    const folder = others.length > 1 ? (others[0] ?? '') : '';
    if (order.indexOf(folder) <= own) continue;
    yield `${file}: imports ${target}, whose folder comes later (scripts/tidy/folders.ts)`;
  }
}

/** `files` are relative to `src/`. */
export function* sizeProblems(files: readonly string[]): Generator<string> {
  const counts = new Map<string, number>();
  for (const file of files) {
    if (file.endsWith('.test.ts')) continue;
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) {
    if (count > FILES_MAX) yield `${folder}/: ${count} files; group them (at most ${FILES_MAX})`;
  }
}

/** `files`: text by path relative to `src/`. */
export function* exportProblems(files: ReadonlyMap<string, string>): Generator<string> {
  const homes = new Map<string, string[]>();
  for (const [file, text] of files) {
    const [layer = '', ...rest] = file.split('/');
    if (rest.length === 0 || file.endsWith('.test.ts')) continue;
    for (const name of new Set(exportsOf(file, text))) {
      if (layer === 'core' && MACHINE_NAMES.has(name)) continue;
      const key = `${layer}/ ${name}`;
      homes.set(key, [...(homes.get(key) ?? []), file]);
    }
  }
  for (const [key, places] of homes) {
    if (places.length > 1) yield `${key} is exported by ${places.join(' and ')}; rename one`;
  }
}

/**
 * Uses the parser's list of imports; only files with `import()` expressions need a walk of the syntax tree.
 */
function* importsOf(file: string, text: string): Generator<string> {
  const parsed = parseSync(file, text);
  const { staticImports, staticExports } = parsed.module;
  const targets = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map((one) => one.moduleRequest?.value)),
    ...(/\bimport\(/.test(text) ? innerImports(parsed.program as unknown as Node) : []),
  ];
  for (const target of new Set(targets)) {
    if (target?.startsWith('.')) yield path.posix.join(path.posix.dirname(file), target);
  }
}

function* innerImports(program: Node): Generator<string> {
  for (const { node } of walk(program)) {
    const source = node['source'];
    const target = isNode(source) && source.type === 'Literal' ? source['value'] : undefined;
    if (typeof target === 'string') yield target;
  }
}

/** The names that a file declares and exports, without re-exports. */
function* exportsOf(file: string, text: string): Generator<string> {
  const exported = parseSync(file, text).module.staticExports.flatMap(({ entries }) => entries);
  for (const { start, moduleRequest, localName, exportName } of exported) {
    const isDeclared = moduleRequest === null && localName.start !== start;
    if (isDeclared && exportName.name !== null) yield exportName.name;
  }
}
