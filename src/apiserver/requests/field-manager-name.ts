/**
 * Determines the name of the field manager: from the request's fieldManager option, or from the User-Agent.
 */
import type { FieldError } from '../../api/validation/field-error.ts';

const NAME_BYTES_MAX = 128;

export function* managerErrors(name: string): Generator<FieldError> {
  const field = 'fieldManager';
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) {
    yield { type: 'TooLong', field, detail: `may not be more than ${NAME_BYTES_MAX} bytes` };
  }
  let position = 0;
  for (const letter of name) {
    if (!isPrintable(letter)) {
      const detail = `invalid character ${unicodeOf(letter)} (at position ${position})`;
      yield { type: 'Invalid', field, value: name, detail };
    }
    position += Buffer.byteLength(letter);
  }
}

/** The client's fieldManager, or the beginning of its User-Agent. Empty: it has neither. */
export function managerOf(given: string, userAgent: string | null): string {
  if (given !== '') return given;
  const [product = ''] = (userAgent ?? '').split('/');
  let name = '';
  for (const letter of product) {
    if (!isPrintable(letter)) continue;
    if (Buffer.byteLength(name + letter) > NAME_BYTES_MAX) break;
    name += letter;
  }
  return name;
}

/** Letters, marks, numbers, punctuation, symbols and the space, as in Go. */
function isPrintable(letter: string): boolean {
  return letter === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(letter);
}

function unicodeOf(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
