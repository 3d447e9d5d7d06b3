/** Writing files for another user without the right to change their owner. */
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
const { writeAtomically } = await import('./payload/atomic-writer.ts');

test('a file for another user stays with the writer if it may not change the owner', async () => {
  const folder = makeTempFolder();
  const payload = new Map([['token', { data: Buffer.from('x'), mode: 0o600, user: 4321 }]]);
  expect(await writeAtomically(folder, payload, { nowMs: 0 })).toBe(true);
  expect(readFileSync(path.join(folder, 'token'), 'utf8')).toBe('x');
  expect(statSync(path.join(folder, 'token')).uid).toBe(process.getuid?.());
  expect(await writeAtomically(folder, payload, { nowMs: 1 })).toBe(false);
});
