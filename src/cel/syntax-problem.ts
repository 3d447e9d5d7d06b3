/**
 * Translates the parser's syntax errors: for an expression that ends too early, the message is Kubernetes'
 * own. Other syntax errors keep the parser's message, with the same position as in Kubernetes.
 */
import type { ParseError } from '@marcbachmann/cel-js';
import type { RewrittenText } from './message-text.ts';

const OPERANDS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
const FIELDS = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";

export function syntaxProblem(error: ParseError, { text, messages }: RewrittenText): string {
  const written = text.trimEnd();
  if ((error.range?.start ?? 0) < written.length) return error.summary;
  if (error.code === 'expected_token') {
    if (written.endsWith('.')) return "no viable alternative at input '.'";
    return error.summary.startsWith('Expected RPAREN') ? "missing ')' at '<EOF>'" : error.summary;
  }
  if (error.code !== 'unexpected_token') return error.summary;
  const isMessage = messages.has(written.length - 1);
  return `mismatched input '<EOF>' expecting ${isMessage ? FIELDS : OPERANDS}`;
}
