/**
 * The scripts in status-manager/: each is a story about a status, and what the API saw of it.
 *
 * When one of them fails, run it again with UPDATE=1 and read the difference. Keep the new answers only
 * if you can say why each line changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { playStatusManagerScript } from '../support/status-manager-script.ts';

const FOLDER = path.join(import.meta.dirname, 'status-manager');

test.each(readdirSync(FOLDER))('%s', async (name) => {
  const file = path.join(FOLDER, name);
  const played = await playStatusManagerScript(readFileSync(file, 'utf8'));
  if (process.env['UPDATE']) writeFileSync(file, played);
  expect(played).toBe(readFileSync(file, 'utf8'));
});
