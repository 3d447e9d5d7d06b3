/**
 * `npm run attack:mutants`: switches off one protection at a time, and checks that an attack succeeds
 * then.
 *
 *     npm run attack:mutants -- [--only WORD] [--quick]
 *
 * A mutant is this checkout with a few texts exchanged (mutant-list.ts). It is bundled below .cache/, and
 * only the attacks that should notice are run against it. A mutant that no attack notices is a failure:
 * either the attack is missing, or the protection does nothing. --quick runs the few that CI runs.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { MUTANTS, type Mutant } from './mutant-list.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const chosen = MUTANTS.filter(
  ({ name, isQuick = false }) => name.includes(values.only ?? '') && (isQuick || !values.quick),
);
const unnoticed: string[] = [];
for (const mutant of chosen) {
  const target = await buildMutant(mutant);
  const noticed = target === undefined ? false : isNoticed(target, mutant);
  console.log(`${noticed ? 'noticed' : 'UNNOTICED'}: ${mutant.name}`);
  if (!noticed) unnoticed.push(mutant.name);
}
console.log(`${chosen.length - unnoticed.length} passed, ${unnoticed.length} failed`);
process.exitCode = unnoticed.length > 0 ? 1 : 0;

/** Undefined: the text does not exist any more, so the mutant must be rewritten. */
async function buildMutant({ name, changes }: Mutant): Promise<string | undefined> {
  // In the checkout, so that the packages that are not bundled are found.
  const folder = path.join(ROOT, '.cache', 'attack-mutant');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of ['src', 'bin', 'package.json']) {
    cpSync(path.join(ROOT, each), path.join(folder, each), { recursive: true });
  }
  for (const { file, find, instead } of changes) {
    const mutated = path.join(folder, file);
    const text = readFileSync(mutated, 'utf8');
    if (!text.includes(find)) {
      console.log(`${name}: ${file} does not have the text that it exchanges`);
      return undefined;
    }
    writeFileSync(
      mutated,
      text.replaceAll(find, () => instead),
    );
  }
  await build({
    absWorkingDir: folder,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
  });
  const program = path.join(folder, 'src/lib/syscall-helper/program');
  cpSync(program, path.join(folder, 'dist/syscall-helper'), { recursive: true });
  return folder;
}

/** Whether the suite fails because an attack succeeded. */
function isNoticed(target: string, { attacks, mode = 'root' }: Mutant): boolean {
  const args = ['tsx', 'test/attack/main.ts', '--mode', mode, '--target', target];
  const run = spawnSync('npx', [...args, '--only', attacks], { cwd: ROOT, encoding: 'utf8' });
  const noticed = /^succeeds: .*$/m.exec(run.stdout)?.[0];
  // The result shows whether the mutant does not work, or the attack does not see it.
  console.log(
    `    ${noticed?.slice(0, 160) ?? run.stdout.split('\n').slice(-6).join(' | ').slice(0, 600)}`,
  );
  return run.status === 1 && noticed !== undefined;
}
