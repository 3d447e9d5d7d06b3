/** The users that podkeep runs as in a test: both root and an ordinary user, if the tests are run by root. */
import { getuid } from 'node:process';
import type { TestContext } from 'vitest';

export type Who = 'root' | 'an ordinary user';

const NOBODY = 65_534;

/** Skips the test where it is not possible. */
export function userOf(who: Who, context: TestContext): { readonly uid?: number } {
  const isRoot = getuid?.() === 0;
  if (who !== 'root') return isRoot ? { uid: NOBODY } : {};
  requireRoot(context);
  return {};
}

export function requireRoot(context: TestContext): void {
  if (getuid?.() === 0) return;
  console.log('skipped: the tests are not run by root');
  context.skip('the tests are not run by root');
}
