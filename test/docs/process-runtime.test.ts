/** The page about processes tells users every difference that the recorded lives may have. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DIFFERENCES } from '../e2e/recordings/differences.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/process-runtime.md');
const SECTION = '## Recorded lives that differ';

test('the table of recorded lives that differ is the list that the test allows', () => {
  const allowed = DIFFERENCES.map((each) => [each.case === '*' ? 'all' : each.case, each.why]);
  const distinct = [...new Map(allowed.map((row) => [row.join(), row])).values()];
  expect(rowsOf(readFileSync(PAGE, 'utf8'))).toEqual(distinct);
});

/** The first and the last cell of each row. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(SECTION);
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return [cells[1] ?? '', cells[3] ?? ''];
  });
}
