/**
 * Lets a parser that has no message literals read `Object.spec{replicas: 3}`: rewrites each literal to a call
 * with a map before parsing, and maps positions in the tree back to the author's text.
 *
 *     Object.spec{replicas: 3, ?paused: p}   as written
 *     Object.spec({"replicas": 3, "?paused": p})   as parsed
 *
 * The rewriting only inserts characters (and turns the two backticks of an escaped name into quotes), so the
 * original position is the new one minus the number of insertions before it.
 */

export interface RewrittenText {
  readonly text: string;
  /** Where the rewritten text has a character that the author did not write, in ascending order. */
  readonly inserted: readonly number[];
  /** Where the maps of message literals begin in the rewritten text. */
  readonly messages: ReadonlySet<number>;
}

/**
 * Strings are skipped as the parser reads them: a backslash hides the next character. A string that does not
 * end is one token, too, so that no text is scanned twice.
 */
const TOKENS =
  /\/\/[^\n]*|[rbRB]{0,2}(?:"""(?:\\[^]|[^\\])*?(?:"""|$)|'''(?:\\[^]|[^\\])*?(?:'''|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)|`[^`\n]*`?|[A-Za-z_]\w*|\d[\w.]*|\s+|[^]/g;
const NAME = /^(?:`|[A-Za-z_]\w*$)/;
const WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

type Bracket = 'message' | 'other';

export function rewriteMessages(text: string): RewrittenText {
  if (!text.includes('{')) return { text, inserted: [], messages: new Set() };
  const writer = new Writer();
  const open: Bracket[] = [];
  // State of reading a dotted path at the start of an operand: it may name a message type.
  let path: 'name' | 'dot' | 'none' = 'none';
  let isField = false;
  let isOptional = false;
  let before = '';
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^(?:\s|\/\/)/.test(token)) {
      writer.write(token);
      continue;
    }
    if (token === '{' && path === 'name') {
      writer.openMessage();
      open.push('message');
      isField = true;
    } else if (isField && token === '?') {
      writer.insert('"');
      writer.write(token);
      isOptional = true;
    } else if (isField && NAME.test(token)) {
      writer.writeField(token, isOptional);
      isField = isOptional = false;
    } else {
      if ('{[('.includes(token)) open.push('other');
      const closed = '}])'.includes(token) ? open.pop() : undefined;
      writer.write(token);
      if (closed === 'message') writer.insert(')');
      isField = token === ',' && open.at(-1) === 'message';
    }
    path = nextPath(path, token, before);
    before = token;
  }
  return writer;
}

function nextPath(path: 'name' | 'dot' | 'none', token: string, before: string) {
  if (NAME.test(token) && !token.startsWith('`') && !WORDS.has(token)) {
    return path === 'dot' || before !== '.' ? 'name' : 'none';
  }
  return token === '.' && path === 'name' ? 'dot' : 'none';
}

class Writer implements RewrittenText {
  text = '';
  readonly inserted: number[] = [];
  readonly messages = new Set<number>();

  write(token: string): void {
    this.text += token;
  }

  insert(sign: string): void {
    this.inserted.push(this.text.length);
    this.text += sign;
  }

  openMessage(): void {
    this.insert('(');
    this.messages.add(this.text.length);
    this.text += '{';
  }

  /** Writes the name of a field as a string literal. */
  writeField(token: string, isOptional: boolean): void {
    if (token.startsWith('`')) {
      this.text += `"${token.slice(1, -1)}"`;
      return;
    }
    if (!isOptional) this.insert('"');
    this.text += token;
    this.insert('"');
  }
}

/** The position in the author's text that corresponds to `at` in the rewritten text. */
export function writtenPosition(inserted: readonly number[], at: number): number {
  let [low, high] = [0, inserted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((inserted[middle] ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return at - low;
}
