/**
 * Generates src/lib/seccomp/syscalls.generated.json from golang.org/x/sys. Needs Go, and the network the
 * first time.
 *
 *     npm run syscalls:update    writes the table
 *     npm run syscalls:verify    fails if the table is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineError, PodkeepError } from '../src/lib/errors.ts';
import { readTables, SOURCE } from './syscalls/tables.ts';

const FILE = 'src/lib/seccomp/syscalls.generated.json';
const filePath = fileURLToPath(new URL(`../${FILE}`, import.meta.url));

const tableDiffers = defineError<{ line: number }>({
  code: 'SYSCALLS_OUTDATED',
  retry: 'never',
  message: ({ line }) => `${FILE} is not what ${SOURCE} gives, from line ${line}`,
  hint: () => 'Run npm run syscalls:update and look at the difference.',
});

try {
  const table = readTables();
  if (process.argv.includes('--verify')) verify(table);
  else writeFileSync(filePath, table);
  console.log(`${FILE}: ${table.split('\n').length} lines, from ${SOURCE}`);
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  console.error(`error ${error.code}: ${error.message}\n  hint   ${error.hint}`);
  process.exitCode = 1;
}

function verify(table: string): void {
  const current = readFileSync(filePath, 'utf8').split('\n');
  const fresh = table.split('\n');
  const length = Math.max(current.length, fresh.length);
  for (let line = 0; line < length; line += 1) {
    if (current[line] !== fresh[line]) throw tableDiffers({ line: line + 1 });
  }
}
