/** Writing for somebody else without the right to give files away. */
import { readFileSync } from 'node:fs';
import type * as fs from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { writeAtomically } from './atomic-writer.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof fs>()),
  lchown: () => Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM' })),
}));

test('a file for another user stays with whoever may not give it away', async () => {
  const folder = makeTempFolder();
  const payload = new Map([['token', { data: Buffer.from('x'), mode: 0o600, user: 4321 }]]);
  expect(await writeAtomically(folder, payload, { nowMs: 0 })).toBe(true);
  expect(readFileSync(path.join(folder, 'token'), 'utf8')).toBe('x');
  expect(await writeAtomically(folder, payload, { nowMs: 1 })).toBe(false);
});
