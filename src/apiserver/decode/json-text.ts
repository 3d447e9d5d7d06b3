/**
 * JSON text to a value, with what JSON.parse does not tell: fields that stand twice, and numbers
 * that JavaScript cannot hold.
 *
 * The value is JSON.parse's. The text is walked once more, without building anything, to find keys
 * that occur twice in one object, and integers beyond 2^53, which would come back changed. A value that
 * prints as the very text it came from has neither, and most clients send such texts.
 */
import type { Json } from '../../lib/json.ts';

export interface ReadJson {
  readonly value: Json;
  /** Paths of fields that stand twice, such as `metadata.name`. The last one counts. */
  readonly duplicates: readonly string[];
}

/** Throws a SyntaxError, or a RangeError for an integer that cannot be kept. */
export function readJson(text: string): ReadJson {
  const value: Json = JSON.parse(text);
  if (JSON.stringify(value) === text) return { value, duplicates: [] };
  const walk = new Walk(text);
  walk.value('');
  return { value, duplicates: walk.duplicates };
}

class Walk {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text is known to be valid, so each step only has to find where a value ends. */
  value(path: string): void {
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === '{') this.#object(path);
    else if (char === '[') this.#list(path);
    else if (char === '"') this.#string();
    else this.#bare(path);
  }

  #object(path: string): void {
    const keys = new Set<string>();
    this.#at += 1;
    for (this.#skipSpace(); this.#text[this.#at] !== '}'; this.#skipSpace()) {
      if (this.#text[this.#at] === ',') {
        this.#at += 1;
        continue;
      }
      const start = this.#at;
      this.#string();
      const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
      const inner = path === '' ? String(key) : `${path}.${String(key)}`;
      if (keys.has(String(key))) this.duplicates.push(inner);
      keys.add(String(key));
      this.#skipSpace();
      this.#at += 1; // the colon
      this.value(inner);
    }
    this.#at += 1;
  }

  #list(path: string): void {
    this.#at += 1;
    let index = 0;
    for (this.#skipSpace(); this.#text[this.#at] !== ']'; this.#skipSpace()) {
      if (this.#text[this.#at] === ',') {
        this.#at += 1;
        continue;
      }
      this.value(`${path}[${index}]`);
      index += 1;
    }
    this.#at += 1;
  }

  #string(): void {
    this.#at += 1;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    this.#at += 1;
  }

  /** A number or a word: it ends where one of these stands. */
  #bare(path: string): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !',]} \t\r\n'.includes(this.#text[this.#at] ?? '')) {
      this.#at += 1;
    }
    const word = this.#text.slice(start, this.#at);
    if (/^-?\d{16,}$/.test(word) && !Number.isSafeInteger(Number(word))) {
      throw new RangeError(
        `integer ${word} at ${path || 'the top'} is too large to be kept exactly`,
      );
    }
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }
}
