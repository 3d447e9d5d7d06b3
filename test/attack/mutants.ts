/**
 * `npm run attack:mutants`: switches off one protection at a time, and sees whether an attack succeeds then.
 *
 *     npm run attack:mutants -- [--only WORD]
 *
 * A mutant is this checkout with one text exchanged in one file. It is bundled below .cache/, and only the attacks that
 * should notice are run against it, as root. A mutant that no attack notices is a failure: either the attack is missing,
 * or the protection does nothing.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly instead: string;
  /** The attacks that should notice. */
  readonly attacks: string;
}

const ROOT = path.join(import.meta.dirname, '..', '..');
const CALLS = 'src/lib/syscall-helper/program/calls.pl';
const LOG = 'src/lib/syscall-helper/program/log.pl';
const INSIDE_ROOT = 'src/lib/syscall-helper/program/inside-root.pl';
const PROCESS = 'src/runtimes/process';

/** Makes a call of the helper do nothing. */
const withoutCall = (name: string, attacks: string): Mutant => ({
  name: `no ${name}`,
  file: CALLS,
  find: `  ${name} => sub {`,
  instead: `  ${name} => sub { return;`,
  attacks,
});

const MUTANTS: readonly Mutant[] = [
  withoutCall('seccomp', '^rights/restricted/.*filter'),
  withoutCall('strict', '^rights/restricted/main'),
  withoutCall('bound', '^rights/restricted/main'),
  withoutCall('mask', '^inventory/main/mounts|^kernel-files/restricted'),
  withoutCall('freeze', '^inventory/main/mounts'),
  withoutCall('restrict', '^inventory|^leaving-root'),
  {
    name: 'no users of its own',
    file: `${PROCESS}/network.ts`,
    find: 'return this.#machine.mapsUsers && !sharesMachine;',
    instead: 'return false && sharesMachine;',
    attacks: '^inventory/main/identity',
  },
  {
    name: 'no root of its own',
    file: CALLS,
    find: `    call('umount2', ' the old root', $here, MNT_DETACH);`,
    instead: `    mkdir 'old'; 1;`,
    attacks: '^inventory/main/mounts|^leaving-root',
  },
  {
    name: 'all of the machine’s tree',
    file: `${PROCESS}/root/machine-tree.ts`,
    find: "const PROGRAM_FOLDERS = ['bin',",
    instead: "const PROGRAM_FOLDERS = ['home', 'opt', 'srv', 'bin',",
    attacks: '^leaving-root/.*by-name|^inventory/main/mounts',
  },
  {
    name: 'descriptors of the helper',
    file: 'src/lib/syscall-helper/program/container.pl',
    find: `  if (attempt('close_range', 3, 0xffffffff, 4) < 0) { mark_all_to_close() }`,
    instead: `  for my $n (3 .. 20) { open(my $f, '<&=', $n) or next; fcntl($f, F_SETFD, 0); our @kept; push @kept, $f }`,
    attacks: '^inventory/main/descriptors|^descriptors/',
  },
  {
    name: 'links of /proc in targets',
    file: INSIDE_ROOT,
    find: 'O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);',
    instead: 'O_PATH, 0);',
    attacks: '^mount-targets/|^working-dir/',
  },
  {
    name: 'a log without bounds',
    file: LOG,
    find: '    my $space = $log->{max} > 0 ? $log->{max} - $log->{size} : length $bytes;',
    instead: '    my $space = length $bytes;',
    attacks: '^output/(?:stdout|short-lines)',
  },
  {
    name: 'no limit of processes',
    file: `${PROCESS}/pod-pids.ts`,
    find: '    return this.#limit > 0;',
    instead: '    return false;',
    attacks: '^resources/processes',
  },
  {
    name: 'links in image layers',
    file: `${PROCESS}/layers/image-root.ts`,
    find: 'isSymbolicLink()',
    instead: 'isSocket()',
    attacks: '^layers/link',
  },
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = MUTANTS.filter(({ name }) => name.includes(values.only ?? ''));
const unnoticed: string[] = [];
for (const mutant of chosen) {
  const target = await buildMutant(mutant);
  const noticed = target === undefined ? false : isNoticed(target, mutant);
  console.log(`${noticed ? 'noticed' : 'UNNOTICED'}: ${mutant.name}`);
  if (!noticed) unnoticed.push(mutant.name);
}
console.log(`${chosen.length - unnoticed.length} passed, ${unnoticed.length} failed`);
process.exitCode = unnoticed.length > 0 ? 1 : 0;

/** Undefined: the text is not there any more, so the mutant must be written again. */
async function buildMutant({ name, file, find, instead }: Mutant): Promise<string | undefined> {
  // In the checkout, so that the packages that are not bundled are found.
  const folder = path.join(ROOT, '.cache', 'attack-mutant');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const each of ['src', 'bin', 'package.json']) {
    cpSync(path.join(ROOT, each), path.join(folder, each), { recursive: true });
  }
  const mutated = path.join(folder, file);
  const text = readFileSync(mutated, 'utf8');
  if (!text.includes(find)) {
    console.log(`${name}: ${file} does not have the text that it exchanges`);
    return undefined;
  }
  writeFileSync(mutated, text.replaceAll(find, instead));
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
function isNoticed(target: string, { attacks }: Mutant): boolean {
  const args = ['tsx', 'test/attack/main.ts', '--mode', 'root', '--target', target];
  const run = spawnSync('npx', [...args, '--only', attacks], { cwd: ROOT, encoding: 'utf8' });
  return run.status === 1 && /^succeeds: /m.test(run.stdout);
}
