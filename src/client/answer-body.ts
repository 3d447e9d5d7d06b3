/** Reads response bodies as text, whole or line by line, with a limit on the memory that they use. */
import { apiAnswerBroken } from './client-errors.ts';
import type { WireResponse } from './transport/transport.ts';

type Body = WireResponse['body'];

/** About the longest string of JavaScript; no list that fits into a node's memory is longer. */
const ANSWER_BYTES_MAX = 256 * 2 ** 20;

export async function readWhole(body: Body, request: string): Promise<string> {
  if (typeof body === 'string') return body;
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) {
      throw apiAnswerBroken({ request, problem: `it is longer than ${ANSWER_BYTES_MAX} bytes` });
    }
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/**
 * Yields the lines of a watch, each as soon as it is complete. Throws if a line is too long, or if the body
 * ends in the middle of a line.
 */
export async function* readLines(
  body: Body,
  request: string,
  lineCharsMax: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of typeof body === 'string' ? [new TextEncoder().encode(body)] : body) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, part] of lines.entries()) {
      rest = index === 0 ? rest + part : part;
      if (rest.length > lineCharsMax) {
        const problem = `a line of it is longer than ${lineCharsMax} characters`;
        throw apiAnswerBroken({ request, problem });
      }
      if (index < lines.length - 1 && rest.trim() !== '') yield rest;
    }
  }
  if (rest.trim() !== '') {
    throw apiAnswerBroken({ request, problem: 'it was cut off in the middle of a line' });
  }
}
