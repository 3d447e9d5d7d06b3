/**
 * Runs a test suite that needs more than Node.js. With `--if-possible` it prints why the suite cannot run on
 * this machine and exits with 0; all other arguments are for vitest.
 *
 * podkeep is built first, so that the tests run on the current checkout. With PODKEEP_E2E_SOURCE=1 the tests
 * run the source without a build.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { PodkeepError } from '../src/lib/errors.ts';

const ROOT = path.join(import.meta.dirname, '..');
const IF_POSSIBLE = '--if-possible';
const BUILD = ['scripts/build.ts'];

/** Returns the exit code. `require` throws an error if something is missing. */
export function runSuite(config: string, require: () => void): number {
  const args = process.argv.slice(2);
  const ifPossible = args.includes(IF_POSSIBLE);
  try {
    require();
  } catch (error) {
    if (!(error instanceof PodkeepError)) throw error;
    if (ifPossible) console.log(`skipped: ${error.message}`);
    else console.error(`${error.message}\n${error.hint}`);
    return ifPossible ? 0 : 1;
  }
  const rest = args.filter((arg) => arg !== IF_POSSIBLE);
  return (
    buildPodkeep() || run('node_modules/vitest/vitest.mjs', ['run', '--config', config, ...rest])
  );
}

/** Returns the exit code. */
export function buildPodkeep(): number {
  return process.env['PODKEEP_E2E_SOURCE'] ? 0 : run('node_modules/tsx/dist/cli.mjs', BUILD);
}

function run(program: string, args: readonly string[]): number {
  const command = [path.join(ROOT, program), ...args];
  return spawnSync(process.execPath, command, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}
