/**
 * `npm run test:nodes`: runs the tests on every supported version of Node.js. Versions may be named (`npm run
 * test:nodes -- 22 26`), and arguments after `--` are for vitest (`npm run test:nodes -- 26 -- src/core`).
 *
 * The chosen Node.js is the first on the PATH, so that programs that tests start use it, too. All versions
 * run even if one fails, to show which ones fail.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installNode } from './install.ts';
import { binFolder, chooseVersions, NODE_VERSIONS } from './versions.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const [names, forVitest] = splitArguments(process.argv.slice(2));
const versions = chooseVersions(names);
if (typeof versions === 'string') {
  console.error(
    `${versions} is none of the tested versions; there are ${NODE_VERSIONS.join(', ')}`,
  );
  process.exitCode = 2;
} else {
  const failed = versions.filter((version) => !passes(version));
  for (const version of failed) console.error(`the tests failed on Node.js ${version}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function splitArguments(args: readonly string[]): readonly [string[], string[]] {
  const end = args.indexOf('--');
  return end < 0 ? [[...args], []] : [args.slice(0, end), args.slice(end + 1)];
}

function passes(version: string): boolean {
  const bin = binFolder(installNode(version, process.env), process);
  console.log(`\n== tests on Node.js ${version}`);
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(path.join(bin, 'node'), [vitest, 'run', ...forVitest], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: [bin, process.env['PATH']].join(path.delimiter),
      PODKEEP_TEST_NODE: `v${version}`,
    },
  });
  return status === 0;
}
