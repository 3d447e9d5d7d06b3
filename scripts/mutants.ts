/**
 * `npm run mutants`: mutation testing of the three state machines. It makes small mistakes in their code, one
 * at a time, and checks whether recordings, vectors, scripts and histories detect them.
 *
 *     npm run mutants -- [--count N] [--seeds N] [--only WORD]
 *
 * Without --count all mutants are tried; with it, a fixed sample. At least 95 % must be detected, and
 * test/mutation/survivors.json must explain each survivor: its name, and why the change is not a mistake. An
 * explanation without a survivor must be removed.
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
const FOLDERS = ['src/core/pod-worker', 'src/core/status-write', 'src/core/eviction'];
const NOTICED_MIN = 0.95;
/** Fewer mutants would mean that the mutations no longer match the code. */
const MUTANTS_MIN = 200;
/** An endless loop counts as detected when a run takes this many times as long as without a mistake. */
const TIMES_AS_LONG = 10;
const TIMEOUT_MS_MAX = 120_000;
const ENDLESS = 'time: it does not end';

interface Candidate extends Mutant {
  readonly file: string;
}

interface MutantResult {
  readonly mutant: Candidate;
  /** The check that detected the mistake. Null: none did. */
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

let timeoutMs = TIMEOUT_MS_MAX;
const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-mutants-'));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const untouched = await evaluate(null, 'original');
  if (untouched !== null) throw new Error(`the machines fail without any mistake: ${untouched}`);
  const tookMs = Math.ceil(performance.now() - startedAt);
  timeoutMs = Math.min(TIMES_AS_LONG * tookMs, TIMEOUT_MS_MAX);
  const everybody = candidates();
  if (everybody.length < MUTANTS_MIN) throw new Error(`only ${everybody.length} mutants were made`);
  const all = everybody.filter(({ file, name }) => `${file} ${name}`.includes(values.only ?? ''));
  const chosen = values.count === undefined ? all : sample(all, Number(values.count));
  const results = await evaluateAll(chosen);
  report(results, everybody);
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

/** A fixed sample, spread over all files. */
function sample(all: readonly Candidate[], count: number): readonly Candidate[] {
  const random = seededRandom(1);
  return all
    .map((mutant) => ({ mutant, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

async function evaluateAll(chosen: readonly Candidate[]): Promise<readonly MutantResult[]> {
  const results: MutantResult[] = [];
  const waiting = [...chosen.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, mutant] = next;
      const noticedBy = await evaluate(mutant, `mutant-${index}`);
      results.push({ mutant, noticedBy });
      const where = `${mutant.file}:${mutant.line} ${mutant.name}`;
      if (noticedBy === null) console.log(`survived  ${where}`);
      if (noticedBy === ENDLESS) console.log(`endless   ${where}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

/** The check that detects the mistake. Null: none does. A mutant that does not build does not count. */
async function evaluate(mutant: Candidate | null, name: string): Promise<string | null> {
  const outfile = path.join(folder, `${name}.mjs`);
  try {
    await build({
      absWorkingDir: ROOT,
      entryPoints: ['test/mutation/check-mutant.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      logLevel: 'silent',
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
  const result = await run(outfile);
  rmSync(outfile, { force: true });
  return result;
}

function run(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, ROOT, values.seeds], {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.on('close', (code, signal) => {
      if (signal) resolve(ENDLESS);
      else resolve(code === 0 ? null : printed.trim() || 'crash');
    });
  });
}

function report(results: readonly MutantResult[], everybody: readonly Candidate[]): void {
  const counts = new Map<string, number>();
  for (const { noticedBy } of results) {
    const who = noticedBy?.split(':')[0] ?? 'nobody';
    counts.set(who, (counts.get(who) ?? 0) + 1);
  }
  for (const [who, count] of counts) console.log(`${who.padEnd(16)}${count}`);
  const real = results.filter(({ noticedBy }) => noticedBy !== 'does not build');
  const survivors = real.filter(({ noticedBy }) => noticedBy === null);
  const unexplained = survivors.filter(({ mutant }) => !explained[keyOf(mutant)]);
  for (const { mutant } of survivors) {
    console.log(`${keyOf(mutant)}\n    ${explained[keyOf(mutant)] ?? 'NOT EXPLAINED'}`);
  }
  const stale = staleExplanations(results, everybody);
  for (const key of stale) console.log(`${key}\n    explained, but there is nothing to explain`);
  const noticed = real.length - survivors.length;
  const share = noticed / Math.max(real.length, 1);
  console.log(
    `${real.length} of ${everybody.length} mutants, ${(share * 100).toFixed(1)} % noticed`,
  );
  const isFine = share >= NOTICED_MIN && unexplained.length === 0 && stale.length === 0;
  console.log(`${noticed} passed, ${unexplained.length} failed`);
  process.exitCode = isFine ? 0 : 1;
}

/** Explanations of mutants that no longer exist, or that were tried and detected. */
function staleExplanations(
  results: readonly MutantResult[],
  everybody: readonly Candidate[],
): readonly string[] {
  const mayExplain = new Set(everybody.map(keyOf));
  for (const { mutant, noticedBy } of results) {
    if (noticedBy !== null) mayExplain.delete(keyOf(mutant));
  }
  return Object.keys(explained).filter((key) => !mayExplain.has(key));
}

function keyOf({ file, name }: Candidate): string {
  return `${path.basename(file)}: ${name}`;
}
