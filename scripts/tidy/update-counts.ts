/**
 * `npm run tidy:update`: records how many of the words of words.ts each file still has. It refuses a count
 * that would rise.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { COUNTS_FILE, readRepository, ROOT } from './repository.ts';
import { countProse } from './words.ts';

const file = path.join(ROOT, COUNTS_FILE);
const isFirst = process.argv.includes('--first');
const before: Readonly<Record<string, number>> = isFirst
  ? {}
  : JSON.parse(readFileSync(file, 'utf8'));
const counts: [string, number][] = [];
for (const [name, text] of readRepository()) {
  const count = countProse(name, text);
  if (!isFirst && count > (before[name] ?? 0)) {
    process.stderr.write(`${name}: ${count} instead of ${before[name] ?? 0}; see words.ts\n`);
    process.exitCode = 1;
  }
  if (count > 0) counts.push([name, Math.min(count, isFirst ? count : (before[name] ?? 0))]);
}
counts.sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
const total = counts.reduce((sum, [, count]) => sum + count, 0);
process.stdout.write(`${total} in ${counts.length} files\n`);
