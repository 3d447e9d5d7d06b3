/**
 * `npm run mutants`: makes small mistakes in the two machines, one at a time, and sees whether
 * vectors, stories and histories notice.
 *
 *     npm run mutants -- [--count N] [--seeds N] [--only WORD]
 *
 * Without --count all mutants are tried. At least 95 % must be noticed, and whoever is not must be
 * explained in test/mutation/survivors.json: by name, with the reason why the mistake is none.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { seededRandom } from '../src/platform/seeded-random.ts';
import { mutantsOf, type Mutant } from './mutants/mutate.ts';

const ROOT = path.join(import.meta.dirname, '..');
const FOLDERS = ['src/core/pod-worker', 'src/core/status-write'];
const NOTICED_MIN = 0.95;
/** A mistake that makes a loop endless is noticed too. */
const TIMEOUT_MS = 120_000;

interface Candidate extends Mutant {
  readonly file: string;
}

interface Verdict {
  readonly mutant: Candidate;
  /** Who noticed; null: nobody. */
  readonly noticedBy: string | null;
}

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    seeds: { type: 'string', default: '12' },
    only: { type: 'string' },
  },
});

const explained = JSON.parse(
  readFileSync(path.join(ROOT, 'test/mutation/survivors.json'), 'utf8'),
) as Readonly<Record<string, string>>;

const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-mutants-'));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const untouched = await judge(null, 'original');
  if (untouched !== null) throw new Error(`the machines fail without any mistake: ${untouched}`);
  const all = candidates().filter(({ name }) => name.includes(values.only ?? ''));
  const chosen = values.count === undefined ? all : sample(all, Number(values.count));
  const verdicts = await judgeAll(chosen);
  report(verdicts, all.length);
}

function candidates(): readonly Candidate[] {
  return FOLDERS.flatMap((name) =>
    readdirSync(path.join(ROOT, name))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const where = `${name}/${file}`;
        const text = readFileSync(path.join(ROOT, where), 'utf8');
        return mutantsOf(where, text).map((mutant) => ({ ...mutant, file: where }));
      }),
  );
}

/** The same choice every time, spread over all files. */
function sample(all: readonly Candidate[], count: number): readonly Candidate[] {
  const random = seededRandom(1);
  return all
    .map((mutant) => ({ mutant, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

async function judgeAll(chosen: readonly Candidate[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = [...chosen.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, mutant] = next;
      const noticedBy = await judge(mutant, `mutant-${index}`);
      verdicts.push({ mutant, noticedBy });
      if (noticedBy === null) console.log(`survived  ${mutant.file}:${mutant.line} ${mutant.name}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return verdicts;
}

/** Who notices the mistake; null: nobody. A mutant that does not build is no mutant. */
async function judge(mutant: Candidate | null, name: string): Promise<string | null> {
  const outfile = path.join(folder, `${name}.mjs`);
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: ['test/mutation/judge.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      logLevel: 'silent',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      plugins: mutant
        ? [
            {
              name: 'mutant',
              setup: (plugin) => {
                plugin.onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
                  file === path.join(ROOT, mutant.file)
                    ? { contents: mutant.text, loader: 'ts' as const }
                    : undefined,
                );
              },
            },
          ]
        : [],
    });
  } catch {
    return 'does not build';
  }
  const verdict = await run(outfile);
  rmSync(outfile, { force: true });
  return verdict;
}

function run(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ROOT, values.seeds], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.on('close', (code, signal) => {
      if (signal) resolve('time: it does not end');
      else resolve(code === 0 ? null : printed.trim() || 'crash');
    });
  });
}

function report(verdicts: readonly Verdict[], possible: number): void {
  const counts = new Map<string, number>();
  for (const { noticedBy } of verdicts) {
    const who = noticedBy?.split(':')[0] ?? 'nobody';
    counts.set(who, (counts.get(who) ?? 0) + 1);
  }
  for (const [who, count] of counts) console.log(`${who.padEnd(16)}${count}`);
  const real = verdicts.filter(({ noticedBy }) => noticedBy !== 'does not build');
  const survivors = real.filter(({ noticedBy }) => noticedBy === null);
  const unexplained = survivors.filter(({ mutant }) => !explained[keyOf(mutant)]);
  for (const { mutant } of survivors) {
    console.log(`${keyOf(mutant)}\n    ${explained[keyOf(mutant)] ?? 'NOT EXPLAINED'}`);
  }
  const noticed = real.length - survivors.length;
  const share = noticed / real.length;
  console.log(`${real.length} of ${possible} mutants, ${(share * 100).toFixed(1)} % noticed`);
  const isFine = share >= NOTICED_MIN && unexplained.length === 0;
  console.log(`${noticed} passed, ${unexplained.length} failed`);
  process.exitCode = isFine ? 0 : 1;
}

function keyOf({ file, name }: Candidate): string {
  return `${path.basename(file)}: ${name}`;
}
