/**
 * `podkeep top`: prints the resource usage of nodes, pods and containers, from the query API of each node.
 */
import { defineError } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Io } from '../../io.ts';
import { visibleText } from '../../terminal-text.ts';
import { openSession, type ApiSession, type SessionOptions } from '../api-session.ts';
import { objectsIn, textOf } from '../kind-lookup.ts';
import { askNode, askNodes, namespaceQuery, nodeNames } from './node-queries.ts';
import { numberAt, objectAt, tableOf } from './object-fields.ts';
import { printObject } from '../object-printer.ts';
import { TablePrinter } from '../table-printer.ts';

export interface TopOptions extends SessionOptions {
  readonly node?: string;
  readonly allNamespaces: boolean;
  readonly selector?: string;
  readonly containers: boolean;
  readonly sortBy: 'name' | 'cpu' | 'memory';
  readonly output: 'table' | 'json';
  readonly headers: boolean;
}

const MIB = 2 ** 20;
const UNKNOWN = '<unknown>';

const topUnclear = defineError<{ problem: string }>({
  code: 'TOP_UNCLEAR',
  retry: 'never',
  message: ({ problem }) => problem,
  hint: () =>
    'Write podkeep top nodes or podkeep top pods; the help of podkeep top lists the options of each.',
});

export async function showUsage(
  what: 'nodes' | 'pods',
  options: TopOptions,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  checkOptions(what, options);
  const session = await openSession(options, io);
  try {
    const names = await nodeNames(session, options.node, signal);
    const path = `resources${queryOf(what, options, session)}`;
    const { answers, code } = await askNodes(names, io, (node) =>
      askNode(session, node, path, signal),
    );
    if (options.output === 'json') {
      const list = { kind: 'ResourceUsageList', apiVersion: 'podkeep/v1', items: answers };
      const text = await printObject(list, 'json');
      io.out(io.isOutTerminal ? visibleText(text) : text);
    } else io.out(what === 'nodes' ? nodeTable(answers, options) : podTable(answers, options));
    return code;
  } finally {
    await session.close();
  }
}

function queryOf(
  what: 'nodes' | 'pods',
  { selector, allNamespaces }: TopOptions,
  { namespace }: ApiSession,
): string {
  const parts = [
    ...(selector === undefined ? [] : [`labelSelector=${encodeURIComponent(selector)}`]),
    ...(what === 'nodes' || allNamespaces ? [] : [namespaceQuery(namespace)]),
  ];
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Refuses options that would have no effect. */
function checkOptions(what: 'nodes' | 'pods', options: TopOptions): void {
  const { allNamespaces, selector, containers, namespace } = options;
  if (what === 'nodes' && (allNamespaces || containers || (selector ?? namespace) !== undefined)) {
    throw topUnclear({ problem: '-n, -A, -l and --containers are for pods' });
  }
  if (allNamespaces && namespace !== undefined) {
    throw topUnclear({ problem: '-n and -A contradict each other' });
  }
}

function nodeTable(answers: readonly JsonObject[], options: TopOptions): string {
  const nodes = sorted(
    answers.map((answer) => objectAt(answer, 'node')),
    options,
  );
  const rows = nodes.map((node) => [
    textOf(node['name']),
    coresOf(node),
    percentOf(numberAt(node, 'cpuCores'), numberAt(node, 'cpuCapacityCores')),
    memoryOf(node),
    percentOf(numberAt(node, 'memoryWorkingSetBytes'), numberAt(node, 'memoryCapacityBytes')),
  ]);
  return print(['Name', 'CPU(cores)', 'CPU(%)', 'Memory(bytes)', 'Memory(%)'], rows, options);
}

function podTable(answers: readonly JsonObject[], options: TopOptions): string {
  const { allNamespaces, containers } = options;
  const pods = sorted(
    answers.flatMap((answer) => objectsIn(answer['pods'])),
    options,
  );
  const rows = pods.flatMap((pod) => {
    const names = [...(allNamespaces ? [textOf(pod['namespace'])] : []), textOf(pod['name'])];
    if (!containers) return [[...names, coresOf(pod), memoryOf(pod)]];
    return sorted(objectsIn(pod['containers']), options).map((container) => [
      ...names,
      textOf(container['name']),
      coresOf(container),
      memoryOf(container),
    ]);
  });
  const columns = [
    ...(allNamespaces ? ['Namespace'] : []),
    ...(containers ? ['Pod', 'Name'] : ['Name']),
    'CPU(cores)',
    'Memory(bytes)',
  ];
  return print(columns, rows, options);
}

function print(
  columns: readonly string[],
  rows: readonly (readonly Json[])[],
  { headers: hasHeaders }: TopOptions,
): string {
  const form = { isWide: false, hasHeaders, withNamespace: false, prefix: '' };
  return new TablePrinter(form).print(tableOf(columns, rows));
}

function sorted(items: readonly JsonObject[], { sortBy }: TopOptions): readonly JsonObject[] {
  if (sortBy === 'name') {
    const key = (item: JsonObject): string =>
      `${textOf(item['namespace'])}/${textOf(item['name'])}`;
    return items.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  }
  const field = sortBy === 'cpu' ? 'cpuCores' : 'memoryWorkingSetBytes';
  return items.toSorted((a, b) => (numberAt(b, field) ?? -1) - (numberAt(a, field) ?? -1));
}

/** The format of `kubectl top`. */
function coresOf(usage: JsonObject): string {
  const cores = numberAt(usage, 'cpuCores');
  return cores === null ? UNKNOWN : `${Math.ceil(cores * 1000)}m`;
}

function memoryOf(usage: JsonObject): string {
  const bytes = numberAt(usage, 'memoryWorkingSetBytes');
  return bytes === null ? UNKNOWN : `${Math.floor(bytes / MIB)}Mi`;
}

function percentOf(used: number | null, capacity: number | null): string {
  if (used === null || !capacity) return UNKNOWN;
  return `${Math.floor((used / capacity) * 100)}%`;
}
