/**
 * The rule book in docs/behaviour, and whether code and book agree.
 *
 *     docs/behaviour/*.md ──rulesIn──> rules ──┐
 *                                              ├──> disagreements: sentences, none if all is well
 *     src, test, docs, … ──citationsIn──> ids ─┘
 *
 *   1. Every rule that a file cites is defined, exactly once.
 *   2. Every rule is cited by a test, or says why it is not (`MARKS`).
 *   3. A rule that repeats others (`Same as`) repeats defined rules that a test cites.
 *   4. A rule that is not built, or not applicable, is cited by no test.
 */

export interface Rule {
  readonly id: string;
  readonly page: string;
  /** Absent: a test has to cite the rule. */
  readonly mark?: { readonly kind: Mark; readonly text: string };
}

type Mark = (typeof MARKS)[number];

/** How a rule says that it needs no test of its own. */
const MARKS = ['Not applicable', 'Not built', 'Same as'] as const;

/** The key of a property, such as `'E-4':` among exponents, is no citation. */
const CITATION = /(?<![\w-])(?:KL|SM|PW|[AEFLPQV])-\d+[a-z]?(?!\w|':)/g;
const DEFINITION = /<a id="([^"]*)"><\/a>\*\*([A-Z]+-\d+[a-z]?)\*\*/g;
const MARK = new RegExp(`^(${MARKS.join('|')}): *(.*(?:\\n(?!\\n).*)*)`, 'm');

/** Elliptic curves have names of the same form. */
const CURVES: ReadonlySet<string> = new Set(['P-256', 'P-384', 'P-521']);

/** The rules that one page defines. The text of a rule ends where the next rule or heading begins. */
export function rulesIn(page: string, text: string): readonly Rule[] {
  const found = [...text.matchAll(DEFINITION)];
  return found.map((match, index) => {
    const rest = text.slice(match.index, found[index + 1]?.index);
    const [body = ''] = rest.split(/^#+ /m);
    const [, kind, words] = MARK.exec(body) ?? [];
    const mark = MARKS.find((each) => each === kind);
    return {
      id: match[2] ?? '',
      page,
      ...(mark && { mark: { kind: mark, text: (words ?? '').trim() } }),
    };
  });
}

/** The ids that a text cites, each once. */
export function citationsIn(text: string): ReadonlySet<string> {
  const ids = [...text.matchAll(CITATION)].map(([id]) => id);
  return new Set(ids.filter((id) => !CURVES.has(id)));
}

/** Anchors that are not the id of their rule in lower case: links to them would lead nowhere. */
export function* wrongAnchors(page: string, text: string): Generator<string> {
  for (const [, anchor, id = ''] of text.matchAll(DEFINITION)) {
    if (anchor !== id.toLowerCase()) yield `${page}: ${id} has the anchor "${anchor}"`;
  }
}

/** Tests, and their parts; what only helps them to run proves nothing. */
export function isTest(file: string): boolean {
  if (file.startsWith('test/')) return !file.startsWith('test/support/');
  return file.endsWith('.test.ts');
}

/** `files` maps the path of each file to its text; pages of the rule book are not among them. */
export function* disagreements(
  rules: readonly Rule[],
  files: ReadonlyMap<string, string>,
): Generator<string> {
  const byId = new Map<string, Rule>();
  for (const rule of rules) {
    const other = byId.get(rule.id);
    if (other) yield `${rule.page}: ${rule.id} is defined in ${other.page} already`;
    byId.set(rule.id, rule);
  }
  const cited = new Set<string>();
  for (const [file, text] of files) {
    for (const id of citationsIn(text)) {
      if (!byId.has(id)) yield `${file}: cites ${id}, which docs/behaviour does not define`;
      if (isTest(file)) cited.add(id);
    }
  }
  for (const rule of byId.values()) yield* doubts(rule, byId, cited);
}

function* doubts(
  { id, page, mark }: Rule,
  byId: ReadonlyMap<string, Rule>,
  cited: ReadonlySet<string>,
): Generator<string> {
  if (mark === undefined) {
    if (!cited.has(id)) {
      yield `${page}: no test cites ${id}; cite it where it is proved, or mark it (${MARKS.join(', ')})`;
    }
    return;
  }
  if (mark.text === '') yield `${page}: ${id} is marked "${mark.kind}" without a reason`;
  if (mark.kind !== 'Same as') {
    if (cited.has(id)) yield `${page}: ${id} is marked "${mark.kind}", but a test cites it`;
    return;
  }
  const others = [...citationsIn(mark.text)];
  if (others.length === 0) yield `${page}: ${id} is marked "Same as" but names no rule`;
  for (const other of others) {
    if (!byId.has(other)) yield `${page}: ${id} is the same as ${other}, which is not defined`;
    else if (!cited.has(other)) yield `${page}: ${id} is the same as ${other}, which no test cites`;
  }
}
