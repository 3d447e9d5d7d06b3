/**
 * Finds words that podkeep does not use, because Kubernetes or the trade has a better one (docs/style.md).
 *
 * No identifier and no file name may contain one of them; names are split into words, and case is ignored. In
 * prose (comments, docs pages, names of tests) `prose-counts.json` records their number per file, which may
 * only fall: `npm run tidy:update` writes it.
 */
import { parseSync } from 'oxc-parser';
import { walk, type Node } from './walk.ts';

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['room', 'deps, space or capacity'],
  ['rooms', 'layers, deps or capacities'],
  ['door', 'listener or dialer'],
  ['doors', 'listeners or dialers'],
  ['papers', 'TLS material'],
  ['visitor', 'client identity'],
  ['visitors', 'client identities'],
  ['news', 'update, change or event'],
  ['teller', 'reporter'],
  ['tell', 'report, record, log or notify'],
  ['tells', 'reports, records, logs or notifies'],
  ['told', 'reported, recorded, logged or notified'],
  ['telling', 'reporting, recording, logging or notifying'],
  ['chronicle', 'decisions or journal'],
  ['narrator', 'progress'],
  ['hire', 'create'],
  ['crowd', 'other pods'],
  ['hopes', 'queueing hints'],
  ['judge', 'decide, admit or validate'],
  ['judges', 'decides, admits or validates'],
  ['judged', 'decided, admitted or validated'],
  ['verdict', 'decision or result'],
  ['verdicts', 'decisions or results'],
  ['imagined', 'simulated'],
  ['keeper', 'lock or owner'],
  ['keepers', 'locks or owners'],
  ['glance', 'poll'],
  ['complaint', 'field error or problem'],
  ['complaints', 'field errors or problems'],
  ['complain', 'report'],
  ['complains', 'reports'],
  ['complained', 'reported'],
  ['desk', 'harness'],
  ['rig', 'harness'],
  ['whoever', 'the actor by its name'],
  ['somebody', 'the actor by its name'],
  ['nobody', 'the actor by its name'],
  ['anew', 'again'],
]);

/** A quick check whether a text can contain one of the words, because most files then need no parsing. */
const CANDIDATE = new RegExp(
  [
    (words: string) => `(?<![A-Za-z])(?:${words})(?![a-z])`,
    (words: string) =>
      `(?:${words.replaceAll(/\b[a-z]/g, (first) => first.toUpperCase())})(?![a-z])`,
    (words: string) => `(?:${words.toUpperCase()})`,
  ]
    .map((shape) => shape([...INSTEAD.keys()].join('|')))
    .join('|'),
);

/** Identifiers that other interfaces prescribe, and the Unix user. */
const PRESCRIBED: ReadonlySet<string> = new Set(['NOBODY']);
/** In prose: the Unix user, and a file name on disk that earlier versions use. */
const PRESCRIBED_PROSE = /\buser `?nobody\b|`nobody`|'nobody\\n'|\bkeeper\.json\b/g;

export function instead(word: string): string | undefined {
  return INSTEAD.get(word.toLowerCase());
}

/** `SyncLoopDeps`, `#sync_loop` and `sync-loop.ts` are `sync`, `loop` and so on. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** `file` is relative to the repository. */
export function* nameProblems(file: string, text: string): Generator<string> {
  for (const word of wordsOf(file)) {
    const better = instead(word);
    if (better !== undefined) yield `${file}: the file is named with "${word}"; say ${better}`;
  }
  if (!/\.[cm]?ts$/.test(file) || !CANDIDATE.test(text)) return;
  for (const name of identifiersOf(file, text)) {
    const word = wordsOf(name).find((one) => instead(one) !== undefined);
    if (word === undefined || PRESCRIBED.has(name)) continue;
    yield `${file}: "${name}" has the word "${word}"; say ${instead(word)}`;
  }
}

/** How often the words occur in the prose of a file. */
export function countProse(file: string, text: string): number {
  if (!CANDIDATE.test(text)) return 0;
  const words =
    proseOf(file, text)
      .toLowerCase()
      .replaceAll(PRESCRIBED_PROSE, '')
      .match(/\b[a-z]+\b/g) ?? [];
  return words.filter((word) => INSTEAD.has(word)).length;
}

function proseOf(file: string, text: string): string {
  if (!/\.[cm]?ts$/.test(file)) return text;
  const { comments, program } = parseSync(file, text);
  const titles = file.includes('.test.') ? titlesOf(program as unknown as Node, text) : [];
  return [...comments.map(({ value }) => value), ...titles].join('\n');
}

function titlesOf(program: Node, text: string): readonly string[] {
  const titles: string[] = [];
  for (const { node, parent } of walk(program)) {
    const isText = node.type === 'Literal' || node.type === 'TemplateLiteral';
    if (!isText || parent?.type !== 'CallExpression') continue;
    const first: unknown = Array.isArray(parent['arguments']) ? parent['arguments'][0] : undefined;
    if (first === node) titles.push(text.slice(node.start, node.end));
  }
  return titles;
}

function identifiersOf(file: string, text: string): ReadonlySet<string> {
  const { program } = parseSync(file, text);
  const names = new Set<string>();
  for (const { node } of walk(program as unknown as Node)) {
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') {
      names.add(String(node['name']));
    }
  }
  return names;
}
