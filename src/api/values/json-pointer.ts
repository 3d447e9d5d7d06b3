/**
 * Parses JSON pointers (RFC 6901), such as `/spec/containers/0`.
 *
 * `~1` stands for a slash inside a token and `~0` for a tilde; any other tilde is an error, since
 * guessing what was meant could change the wrong field.
 */

/** The tokens of a pointer. The empty pointer (the whole document) has none. */
export type Pointer = readonly string[];

const BAD_ESCAPE = /~(?![01])/;

/** Reads a pointer; undefined when the text is not one. */
export function parsePointer(text: string): Pointer | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || BAD_ESCAPE.test(text)) return undefined;
  // `~01` must become `~1`, so the slash is unescaped before the tilde.
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
