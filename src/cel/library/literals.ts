/**
 * Checks that `matches`, `duration` or `timestamp` can parse a string literal, so that a mistake is reported
 * when the expression is compiled.
 */
import { compilePattern } from '../../lib/re2/pattern.ts';
import { readDuration, readTimestamp } from './time-text.ts';

export function isReadable(name: string, literal: string): boolean {
  switch (name) {
    case 'matches':
      return !('fault' in compilePattern(literal));
    case 'duration':
      return readDuration(literal) !== undefined;
    case 'timestamp':
      return readTimestamp(literal) !== undefined;
    default:
      return true;
  }
}
