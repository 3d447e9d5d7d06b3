/**
 * Explains why a text is not JSON, with the messages of Go's decoder, which tools match on. JSON.parse runs
 * first, because it is fast; this file scans a text that JSON.parse has refused.
 */

/** The message. For a text that turns out to be JSON: that it ends unexpectedly. */
export function describeJsonFault(text: string): string {
  return findJsonFault(text) ?? END;
}

/** Undefined: the text is JSON. */
export function findJsonFault(text: string): string | undefined {
  try {
    new Scan(text).document();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return undefined;
}

const END = 'unexpected end of JSON input';
const DEPTH_MAX = 10_000;
const SPACE = ' \t\r\n';
const ESCAPES = 'bfnrt\\/"';
const CLOSING = { '{': '}', '[': ']' } as const;
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

class Fault extends Error {
  override readonly name = 'Fault';
}

class Scan {
  readonly #text: string;
  /**
   * Open brackets, outermost first. An explicit stack, because a text can nest deeper than the call stack.
   */
  readonly #open: (keyof typeof CLOSING)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    do this.#value();
    while (this.#findNextValue());
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#strange('after top-level value');
  }

  /** Scans to the end of a value, or to the first value inside it. */
  #value(): void {
    for (;;) {
      this.#skipSpace();
      const char = this.#peek();
      if (char !== '{' && char !== '[') return this.#scalar(char);
      this.#enter(char);
      this.#skipSpace();
      if (this.#peek() === CLOSING[char]) return this.#leave();
      if (char === '{') this.#key();
    }
  }

  /** Closes the brackets that end here. False: the document is complete. */
  #findNextValue(): boolean {
    for (let open = this.#open.at(-1); open; open = this.#open.at(-1)) {
      this.#skipSpace();
      if (this.#skip(',')) {
        if (open === '{') this.#key();
        return true;
      }
      if (this.#peek() !== CLOSING[open]) {
        throw this.#strange(open === '{' ? 'after object key:value pair' : 'after array element');
      }
      this.#leave();
    }
    return false;
  }

  #key(): void {
    this.#skipSpace();
    if (this.#peek() !== '"') throw this.#strange('looking for beginning of object key string');
    this.#string();
    this.#skipSpace();
    if (this.#peek() !== ':') throw this.#strange('after object key');
    this.#at += 1;
  }

  #scalar(char: string): void {
    if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number();
    else if (Object.hasOwn(LITERALS, char)) this.#literal(LITERALS[char] ?? '');
    else throw this.#strange('looking for beginning of value');
  }

  #string(): void {
    this.#at += 1;
    for (let char = this.#peek(); char !== '"'; char = this.#peek()) {
      if (char < ' ') throw this.#strange('in string literal');
      this.#at += 1;
      if (char === '\\') this.#escape();
    }
    this.#at += 1;
  }

  #escape(): void {
    const isCode = this.#peek() === 'u';
    if (!isCode && !ESCAPES.includes(this.#peek())) throw this.#strange('in string escape code');
    this.#at += 1;
    for (let left = isCode ? 4 : 0; left > 0; left--) {
      if (!/[0-9a-f]/i.test(this.#peek())) {
        throw this.#strange(String.raw`in \u hexadecimal character escape`);
      }
      this.#at += 1;
    }
  }

  #number(): void {
    this.#skip('-');
    if (!this.#skip('0')) this.#digits('in numeric literal');
    if (this.#skip('.')) this.#digits('after decimal point in numeric literal');
    if (this.#skip('e') || this.#skip('E')) {
      if (!this.#skip('+')) this.#skip('-');
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(place: string): void {
    if (!isDigit(this.#peek())) throw this.#strange(place);
    while (isDigit(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #literal(word: string): void {
    for (const letter of word) {
      if (this.#peek() !== letter) {
        throw this.#strange(`in literal ${word} (expecting '${letter}')`);
      }
      this.#at += 1;
    }
  }

  #enter(char: keyof typeof CLOSING): void {
    this.#open.push(char);
    if (this.#open.length > DEPTH_MAX) throw new Fault('exceeded max depth');
    this.#at += 1;
  }

  #leave(): void {
    this.#open.pop();
    this.#at += 1;
  }

  /** The next character. Throws at the end of the text. */
  #peek(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw new Fault(END);
    return char;
  }

  #skip(char: string): boolean {
    const isThere = this.#text[this.#at] === char;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && SPACE.includes(this.#peek())) this.#at += 1;
  }

  #strange(place: string): Fault {
    return new Fault(`invalid character ${quote(this.#peek())} ${place}`);
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

/** Go reads bytes, and shows the first byte of a multi-byte character. */
function quote(char: string): string {
  if (char === "'") return String.raw`'\''`;
  if (char === '"') return `'"'`;
  const [byte = 0] = Buffer.from(char);
  const shown = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return `'${shown.replace(/^\\u00/, String.raw`\x`)}'`;
}
