/**
 * JSON pointers (RFC 6901): `/spec/containers/0` names a place in a document.
 *
 * `~1` stands for a slash inside a token and `~0` for a tilde; any other tilde is an error, since
 * guessing what was meant could change the wrong field.
 */

/** The tokens of a pointer, the empty pointer (the whole document) having none. */
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
