/** Parses values of command-line options. */
import { InvalidArgumentError } from 'commander';

export function readCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number that is not negative.');
}
