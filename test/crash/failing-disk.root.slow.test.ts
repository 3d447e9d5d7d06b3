/**
 * A disk whose writes fail. strace makes the calls of LMDB's thread fail.
 *
 * The sync of the pages (fdatasync) may fail, and the write of the meta page that commits a transaction.
 * Lack of space for the pages themselves is noticed before LMDB writes them: see
 * src/apiserver/store/lmdb/reserve.ts, and full-disk.root.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { openLmdbStore } from '../../src/apiserver/store/lmdb-store.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { endOf, startProgram } from './child.ts';

interface Round {
  readonly outcomes: readonly (readonly [key: string, outcome: number | string])[];
  readonly visible: readonly string[];
  readonly notified: readonly string[];
}

const ROUNDS = 12;
/** The meta page is written without its unchanging head; nothing else has this length. */
const META_WRITE = /^(\d+) +pwrite64\(.*, 128, \d+\) += 128$/;
const ANY_WRITE = /^(\d+) +pwrite64\(/;

function requireStrace(context: TestContext): void {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'pipe' });
  } catch {
    console.log('skipped: strace is missing, or may not trace here');
    console.log('skipped: strace is missing, or may not trace here');
    context.skip('strace is missing, or may not trace here');
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-failing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the output of each round, and the trace. */
async function runWith(
  folder: string,
  ...options: readonly string[]
): Promise<{ rounds: readonly Round[]; trace: string }> {
  const file = path.join(folder, 'trace');
  const wrapper = ['strace', '-f', '-o', file, ...options];
  const child = startProgram(
    'failing-writer.ts',
    [path.join(folder, 'store'), `${ROUNDS}`],
    wrapper,
  );
  const { code, out, err } = await endOf(child);
  expect(code, err).toBe(0);
  const rounds = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Round);
  return { rounds, trace: readFileSync(file, 'utf8') };
}

function failedRounds(rounds: readonly Round[]): readonly number[] {
  return rounds.flatMap(({ outcomes }, round) =>
    outcomes.every(([, outcome]) => outcome === 'STORE_FAILED') ? [round] : [],
  );
}

/** An acknowledged commit was visible from then on and notified once; no other ever was. */
async function expectJust(folder: string, rounds: readonly Round[]): Promise<void> {
  const acknowledged: string[] = [];
  for (const { outcomes, visible, notified } of rounds) {
    for (const [key, outcome] of outcomes) {
      if (typeof outcome === 'number') acknowledged.push(`${key} ${outcome}`);
    }
    expect(notified).toEqual(acknowledged);
    expect(visible).toEqual(acknowledged.toSorted());
  }
  const store = await openLmdbStore({
    folder: path.join(folder, 'store'),
    clock: new VirtualClock(),
    log: silentLog,
  });
  const found = store.list('/').objects.map(({ key, revision }) => `${key} ${revision}`);
  expect(found).toEqual(acknowledged.toSorted());
  await store.close();
}

test('while pages cannot be synced nothing is committed', async (context) => {
  requireStrace(context);
  const folder = makeFolder();
  const fault = 'inject=fdatasync:error=EIO:when=4..6';
  const { rounds } = await runWith(folder, '-e', 'trace=fdatasync', '-e', fault);
  // The first sync made the file; each round is one transaction.
  expect(failedRounds(rounds)).toEqual([2, 3, 4]);
  await expectJust(folder, rounds);
});

test('a disk that fails every other time keeps every other commit', async (context) => {
  requireStrace(context);
  const folder = makeFolder();
  const fault = 'inject=fdatasync:error=EIO:when=3+2';
  const { rounds } = await runWith(folder, '-e', 'trace=fdatasync', '-e', fault);
  expect(failedRounds(rounds)).toEqual([1, 3, 5, 7, 9, 11]);
  await expectJust(folder, rounds);
});

test('while the meta page cannot be written nothing is committed, then writing continues', async (context) => {
  requireStrace(context);
  const rehearsal = makeFolder();
  const { trace } = await runWith(rehearsal, '-e', 'trace=pwrite64');
  const at = ordinalOfMetaWrite(trace, 5);
  const folder = makeFolder();
  const fault = `inject=pwrite64:error=EIO:when=${at}`;
  const { rounds, trace: played } = await runWith(folder, '-e', 'trace=pwrite64', '-e', fault);
  expect(played).toMatch(/, 128, \d+\) += -1 EIO .*INJECTED/);
  expect(failedRounds(rounds)).toEqual([3]);
  await expectJust(folder, rounds);
});

/** Which of the writes of LMDB's thread is the nth write of a meta page. strace counts by thread. */
function ordinalOfMetaWrite(trace: string, nth: number): number {
  const lines = trace.split('\n');
  const thread = lines.map((line) => META_WRITE.exec(line)?.[1]).find((pid) => pid !== undefined);
  const writes = lines.filter((line) => ANY_WRITE.exec(line)?.[1] === thread);
  const metas = writes.flatMap((line, index) => (META_WRITE.test(line) ? [index + 1] : []));
  return metas[nth - 1] ?? Number.NaN;
}
