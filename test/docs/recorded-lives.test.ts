/** The pages about runtimes list for users every difference that the recorded lives may have there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DIFFERENCES as OF_CONTAINERS } from '../cluster/recordings/differences.ts';
import { DIFFERENCES as OF_PROCESSES } from '../e2e/recordings/differences.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');
const SECTION = /^## Recorded lives/m;

test.each([
  ['process-runtime.md', OF_PROCESSES],
  ['cri-runtime.md', OF_CONTAINERS],
])(
  'in %s, the table of recorded lives that differ is the list that the test allows',
  (page, all) => {
    const allowed = all.map((each) => [each.case === '*' ? 'all' : each.case, each.why]);
    const distinct = [...new Map(allowed.map((row) => [row.join(), row])).values()];
    expect(rowsOf(readFileSync(path.join(DOCS, page), 'utf8'))).toEqual(distinct);
  },
);

/** The first and the last cell of each row of the section's table, if it has one. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const [, section] = page.split(SECTION);
  expect(section).toBeDefined();
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return [cells[1] ?? '', cells[3] ?? ''];
  });
}
