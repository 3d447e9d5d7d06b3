/** Writing for somebody else without the right to give files away. */
import { readFileSync, statSync } from 'node:fs';
import type * as fs from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof fs>()),
  lchownSync: () => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  },
}));

// Test files share modules; this one needs a writer that was not loaded with all rights.
vi.resetModules();
const { writeAtomically } = await import('./atomic-writer.ts');

test('a file for another user stays with whoever may not give it away', async () => {
  const folder = makeTempFolder();
  const payload = new Map([['token', { data: Buffer.from('x'), mode: 0o600, user: 4321 }]]);
  expect(await writeAtomically(folder, payload, { nowMs: 0 })).toBe(true);
  expect(readFileSync(path.join(folder, 'token'), 'utf8')).toBe('x');
  expect(statSync(path.join(folder, 'token')).uid).toBe(process.getuid?.());
  expect(await writeAtomically(folder, payload, { nowMs: 1 })).toBe(false);
});
