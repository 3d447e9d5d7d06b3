/** docs/controllers.md lists the kinds on which no controller acts, with the warnings that they get. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STORED_ONLY_KINDS } from '../../src/apiserver/admission/stored-only-kinds.ts';

const FILE = new URL('../../docs/controllers.md', import.meta.url);
const TITLE = '## What is stored and not acted on';
const ITEM = /^- `(.+?)`( \(managed\))?:\n {2}(.+)$/gm;

test('the list of kinds that are only stored is that of the code', () => {
  const text = readFileSync(FILE, 'utf8');
  const section = text.slice(text.indexOf(TITLE));
  const items = [...section.matchAll(ITEM)].map(([, resource, managed, sentence]) => ({
    resource,
    sentence,
    isManaged: managed !== undefined,
  }));
  const kinds = STORED_ONLY_KINDS.map(({ resource, sentence, isManaged = false }) => ({
    resource,
    sentence,
    isManaged,
  }));
  expect(items).toEqual(kinds);
});
