/**
 * Generates src/apiserver/auth/rbac/rbac-policy.generated.json from the bootstrap roles and bindings in
 * Kubernetes' own tests. Needs Go, and the network the first time.
 *
 *     npx tsx scripts/update-rbac.ts             writes the table
 *     npx tsx scripts/update-rbac.ts --verify    fails if the table is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { defineError, PodkeepError } from '../src/lib/errors.ts';
import { POLICY_VERSION, readPolicy } from './rbac/policy.ts';

const FILE = 'src/apiserver/auth/rbac/rbac-policy.generated.json';
const filePath = fileURLToPath(new URL(`../${FILE}`, import.meta.url));

const policyDiffers = defineError<{ line: number }>({
  code: 'RBAC_POLICY_OUTDATED',
  retry: 'never',
  message: ({ line }) =>
    `${FILE} is not what Kubernetes ${POLICY_VERSION} gives, from line ${line}`,
  hint: () => 'Run npx tsx scripts/update-rbac.ts and look at the difference.',
});

try {
  const table = readPolicy();
  if (process.argv.includes('--verify')) verify(table);
  else writeFileSync(filePath, table);
  console.log(`${FILE}: ${table.split('\n').length} lines, from Kubernetes ${POLICY_VERSION}`);
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  console.error(`error ${error.code}: ${error.message}\n  hint   ${error.hint}`);
  process.exitCode = 1;
}

function verify(table: string): void {
  const kept = readFileSync(filePath, 'utf8');
  if (kept === table) return;
  const fresh = table.split('\n');
  throw policyDiffers({ line: kept.split('\n').findIndex((line, i) => line !== fresh[i]) + 1 });
}
