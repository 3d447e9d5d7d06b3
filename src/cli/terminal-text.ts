/**
 * Makes untrusted text safe for a terminal: names, messages and logs may hold control sequences that move the
 * cursor, change the title or type into the shell. Control characters are escaped as in kubectl's tables: ESC
 * becomes `^[`.
 */

/** All control characters except line feed and tab, including C1 and DEL. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const CARET_OFFSET = 0x40;
const DELETE = 0x7f;

export function visibleText(text: string): string {
  return text.replaceAll(CONTROL, visibleCharacter);
}

function visibleCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\r') return String.raw`\r`;
  if (code === DELETE) return '^?';
  if (code > DELETE) return String.raw`\x${code.toString(16)}`;
  return `^${String.fromCodePoint(code + CARET_OFFSET)}`;
}

/** The same for a stream of chunks, which may be cut within a character. */
export class VisibleBytes {
  readonly #decoder = new TextDecoder();
  #held = '';

  /** A carriage return before a line feed is a line end, as on Windows. */
  next(bytes: Uint8Array): Uint8Array {
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    this.#held = text.endsWith('\r') ? '\r' : '';
    return encode(text.slice(0, text.length - this.#held.length));
  }

  end(): Uint8Array {
    return encode(this.#held + this.#decoder.decode());
  }
}

function encode(text: string): Uint8Array {
  return Buffer.from(text.split('\r\n').map(visibleText).join('\r\n'));
}
