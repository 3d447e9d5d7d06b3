/**
 * `npm run test:cluster`: the tests that need a real cluster with real containers.
 *
 *     npm run test:cluster -- [--if-possible] [what vitest takes, such as a part of a file's name]
 *
 * --if-possible prints why they cannot run on this machine and ends with 0.
 *
 * `npm run cluster:build` makes and fetches what they run. podkeep is built first, so that it is what
 * stands in the checkout that is tested. With PODKEEP_E2E_SOURCE=1 the source is run without building.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { PodkeepError } from '../../src/lib/errors.ts';
import { requireCluster } from './support/requirements.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const IF_POSSIBLE = '--if-possible';
const BUILD = ['scripts/build.ts'];
const VITEST = ['run', '--config', 'vitest.cluster.config.ts'];

const args = process.argv.slice(2);
process.exitCode = main(
  args.includes(IF_POSSIBLE),
  args.filter((arg) => arg !== IF_POSSIBLE),
);

function main(ifPossible: boolean, rest: readonly string[]): number {
  try {
    requireCluster();
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    if (ifPossible) console.log(`skipped: ${error.message}`);
    else console.error(`${error.message}\n${error.hint}`);
    return ifPossible ? 0 : 1;
  }
  const built = process.env['PODKEEP_E2E_SOURCE'] ? 0 : run('node_modules/tsx/dist/cli.mjs', BUILD);
  return built || run('node_modules/vitest/vitest.mjs', [...VITEST, ...rest]);
}

function run(program: string, args: readonly string[]): number {
  const command = [path.join(ROOT, program), ...args];
  return spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}
