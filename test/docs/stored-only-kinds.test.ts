/** docs/controllers.md lists the kinds on which nothing acts, and with the warnings that they get. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STORED_ONLY_KINDS } from '../../src/apiserver/admission/stored-only-kinds.ts';

const FILE = new URL('../../docs/controllers.md', import.meta.url);
const TITLE = '## What is stored and not acted on';
const ROW = /^\| `(.+?)` +\| (.+?) +\| (yes|no) +\|$/gm;

test('the table of kinds that are only stored is that of the code', () => {
  const text = readFileSync(FILE, 'utf8');
  const section = text.slice(text.indexOf(TITLE));
  const rows = [...section.matchAll(ROW)].map(([, resource, sentence, ends]) => ({
    resource,
    sentence,
    isManaged: ends === 'yes',
  }));
  const kinds = STORED_ONLY_KINDS.map(({ resource, sentence, isManaged = false }) => ({
    resource,
    sentence,
    isManaged,
  }));
  expect(rows).toEqual(kinds);
});
