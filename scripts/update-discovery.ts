/**
 * Generates test/apiserver/discovery-v1.36.generated.json: which methods a real kube-apiserver serves at
 * which paths, for every resource of its discovery. Needs `npm run cluster:build` and openssl.
 *
 *     npx tsx scripts/update-discovery.ts             writes the record
 *     npx tsx scripts/update-discovery.ts --verify    fails if the record is out of date
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineError, PodkeepError } from '../src/lib/errors.ts';
import { DISCOVERY_FILE, printRecord } from './discovery/record.ts';
import { recordRealServer } from './discovery/real-server.ts';

const filePath = fileURLToPath(new URL(`../${DISCOVERY_FILE}`, import.meta.url));

const discoveryDiffers = defineError<{ version: string }>({
  code: 'DISCOVERY_RECORD_OUTDATED',
  retry: 'never',
  message: ({ version }) => `${DISCOVERY_FILE} is not what kube-apiserver ${version} answers`,
  hint: () => 'Run npm run discovery:update and look at the difference.',
});

try {
  const record = await recordRealServer();
  const text = printRecord(record);
  const { version, resources } = record;
  if (!process.argv.includes('--verify')) writeFileSync(filePath, text);
  else if (readFileSync(filePath, 'utf8') !== text) throw discoveryDiffers({ version });
  const count = Object.keys(resources).length;
  console.log(`${DISCOVERY_FILE}: ${count} resources of kube-apiserver ${version}`);
} catch (error) {
  if (!(error instanceof PodkeepError)) throw error;
  console.error(`error ${error.code}: ${error.message}\n  hint   ${error.hint}`);
  process.exitCode = 1;
}
