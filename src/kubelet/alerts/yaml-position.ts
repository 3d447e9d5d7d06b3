/**
 * Reads YAML values with their positions, so that a mistake in a rule file is reported with its line and
 * column, even inside an expression of several lines.
 */
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Node,
  type Scalar,
} from 'yaml';
import { defineError } from '../../lib/errors.ts';

export interface RuleFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly problem: string;
}

export const alertRuleInvalid = defineError<RuleFault>({
  code: 'ALERT_RULE_INVALID',
  retry: 'never',
  message: ({ file, line, column, problem }) => `${file}:${line}:${column}: ${problem}`,
  hint: () => 'The rules that were loaded before stay in force. docs/alerts.md has the format.',
});

/** A value in a file. All its methods throw ALERT_RULE_INVALID. */
export class YamlValue {
  readonly #file: YamlFile;
  readonly #node: Node | null;
  readonly #what: string;
  readonly #offset: number;

  constructor(file: YamlFile, node: Node | null, what: string, offset: number) {
    this.#file = file;
    this.#node = node;
    this.#what = what;
    this.#offset = node?.range?.[0] ?? offset;
  }

  fail(problem: string, at = 0, cause?: unknown): never {
    return this.#file.fail(this.#offsetOf(at), problem, cause);
  }

  /** The fields of a map. A field that is not allowed is a mistake: it would have no effect. */
  fields(allowed: readonly string[]): ReadonlyMap<string, YamlValue> {
    const fields = this.entries();
    for (const [name, { keyOffset }] of fields) {
      if (allowed.includes(name)) continue;
      const problem = `${this.#what} has no field ${JSON.stringify(name)}; it has ${allowed.join(', ')}`;
      this.#file.fail(keyOffset, problem);
    }
    return new Map([...fields].map(([name, { value }]) => [name, value]));
  }

  entries(): ReadonlyMap<string, { readonly value: YamlValue; readonly keyOffset: number }> {
    if (!isMap(this.#node)) return this.fail(`${this.#what} must be an object`);
    const found = new Map<string, { value: YamlValue; keyOffset: number }>();
    for (const { key, value: node } of this.#node.items) {
      const value = isNode(node) ? node : null;
      const keyOffset = (isNode(key) ? key.range?.[0] : undefined) ?? this.#offset;
      const name = isScalar(key) ? String(key.value) : '';
      found.set(name, { value: new YamlValue(this.#file, value, name, keyOffset), keyOffset });
    }
    return found;
  }

  items(itemsMax: number): readonly YamlValue[] {
    if (!isSeq(this.#node)) return this.fail(`${this.#what} must be a list`);
    const { items } = this.#node;
    if (items.length > itemsMax) this.fail(`${this.#what} has more than ${itemsMax} items`);
    const what = `an item of ${this.#what}`;
    return items.map(
      (item) => new YamlValue(this.#file, isNode(item) ? item : null, what, this.#offset),
    );
  }

  /** Not empty. */
  text(charactersMax = 4096): string {
    const value = this.#scalar();
    if (typeof value !== 'string') return this.fail(`${this.#what} must be a text`);
    if (value.trim() === '') this.fail(`${this.#what} is empty`);
    if (value.length > charactersMax) {
      this.fail(`${this.#what} has more than ${charactersMax} characters`);
    }
    return value;
  }

  flag(): boolean {
    const value = this.#scalar();
    return typeof value === 'boolean' ? value : this.fail(`${this.#what} must be true or false`);
  }

  whole(min: number, max: number): number {
    const value = this.#scalar();
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    return this.fail(`${this.#what} must be a whole number from ${min} to ${max}`);
  }

  /** `90s`, `5m`, `1h30m`, `2d`, as in rules of Prometheus. */
  durationMs(): number {
    const value = this.#scalar();
    const text = typeof value === 'number' ? `${value}` : this.text();
    const found =
      /^(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?(?:(\d{1,9})ms)?$/.exec(text);
    if (text === '0') return 0;
    if (!found || text === '') this.fail(`${this.#what} is no duration such as 30s, 5m or 1h30m`);
    const [, days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = (found ?? []).map(
      numberOrZero,
    );
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
  }

  #scalar(): unknown {
    return isScalar(this.#node) ? this.#node.value : null;
  }

  /** Where the character `at` of a text is in the file, as far as that is known. */
  #offsetOf(at: number): number {
    if (at === 0 || !isScalar(this.#node)) return this.#offset;
    return this.#file.offsetInScalar(this.#node, at) ?? this.#offset;
  }
}

function numberOrZero(text: string | undefined): number {
  return text === undefined ? 0 : Number(text);
}

export class YamlFile {
  readonly root: YamlValue;
  readonly #file: string;
  readonly #text: string;
  readonly #lines = new LineCounter();

  /** Throws ALERT_RULE_INVALID if the text is no YAML. */
  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = document.errors;
    if (error) this.fail(error.pos[0], error.message, error);
    this.root = new YamlValue(this, document.contents, 'the file', 0);
  }

  fail(offset: number, problem: string, cause?: unknown): never {
    const { line, col: column } = this.#lines.linePos(offset);
    throw alertRuleInvalid({ file: this.#file, line, column, problem }, cause);
  }

  /**
   * Undefined: the text has escapes or is folded, so a position in the value cannot be mapped to one in the
   * file.
   */
  offsetInScalar({ value, range, type }: Scalar, at: number): number | undefined {
    if (!range || typeof value !== 'string') return undefined;
    const source = this.#text.slice(range[0], range[1]);
    if (type !== 'BLOCK_LITERAL') {
      const start = type === 'PLAIN' ? 0 : 1;
      return source.startsWith(value, start) ? range[0] + start + at : undefined;
    }
    const before = value.slice(0, at).split('\n');
    const lines = source.split('\n');
    const line = lines[before.length];
    if (line === undefined) return undefined;
    const indent = line.length - (value.split('\n')[before.length - 1] ?? '').length;
    const skipped = lines.slice(0, before.length).join('\n').length + 1;
    return range[0] + skipped + indent + (before.at(-1) ?? '').length;
  }
}
