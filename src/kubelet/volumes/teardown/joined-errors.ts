/** Joins several errors of one volume: `[first, second]`, each message once. */
import { fileErrorText, volumeUnusable } from '../volume-errors.ts';

export function joinErrors(errors: readonly unknown[]): Error {
  const texts = [...new Set(errors.map(fileErrorText))];
  const [first = ''] = texts;
  const reason = texts.length === 1 ? first : `[${texts.join(', ')}]`;
  return volumeUnusable({ reason }, errors.length === 1 ? errors[0] : new AggregateError(errors));
}
