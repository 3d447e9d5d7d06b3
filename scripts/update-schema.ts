/**
 * Generates src/api/schema/table.generated.json from Kubernetes' Go source. Needs Go, and the network the
 * first time.
 *
 *     npm run schema:update    writes the table
 *     npm run schema:verify    fails if the table is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineError, PodkeepError } from '../src/lib/errors.ts';
import { readPackages, SOURCE_VERSION } from './schema/go-source.ts';
import { makeTable } from './schema/table.ts';

const FILE = 'src/api/schema/table.generated.json';
const filePath = fileURLToPath(new URL(`../${FILE}`, import.meta.url));

const tableDiffers = defineError<{ line: number }>({
  code: 'SCHEMA_OUTDATED',
  retry: 'never',
  message: ({ line }) =>
    `${FILE} is not what Kubernetes ${SOURCE_VERSION} gives, from line ${line}`,
  hint: () => 'Run npm run schema:update and look at the difference.',
});

try {
  const table = makeTable(SOURCE_VERSION, readPackages());
  if (process.argv.includes('--verify')) verify(table);
  else writeFileSync(filePath, table);
  const types = table.split('\n').length;
  console.log(`${FILE}: ${types} lines, ${table.length} bytes, from Kubernetes ${SOURCE_VERSION}`);
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  console.error(`error ${error.code}: ${error.message}\n  hint   ${error.hint}`);
  process.exitCode = 1;
}

function verify(table: string): void {
  const kept = readFileSync(filePath, 'utf8');
  if (kept === table) return;
  const fresh = table.split('\n');
  throw tableDiffers({ line: kept.split('\n').findIndex((line, i) => line !== fresh[i]) + 1 });
}
