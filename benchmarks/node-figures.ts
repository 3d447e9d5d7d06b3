/** Measures and formats figures of a node: each with its limit, and with what the machine itself can do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { open as openLmdb } from 'lmdb';

const COMMIT_BYTES = 3000;

export interface Figure {
  readonly name: string;
  readonly measured: number;
  /** Absent: there is no limit. */
  readonly most?: number;
  readonly unit?: string;
}

/** The cells of a table row: name, value, and whether the value is within the limit. */
export function rowOf({ name, measured, most, unit = 'ms' }: Figure): readonly string[] {
  const digits = measured < 10 ? 1 : 0;
  const result = most === undefined ? '' : `${most.toFixed(0)} ${unit}: ${yes(measured <= most)}`;
  return [name, `${measured.toFixed(digits)} ${unit}`, result];
}

function yes(isTrue: boolean): string {
  return isTrue ? 'yes' : 'NO';
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

export async function repeated(
  times: number,
  act: () => Promise<number>,
): Promise<readonly number[]> {
  const values: number[] = [];
  for (let run = 0; run < times; run++) values.push(await act());
  return values;
}

/** Milliseconds until a program has started and ended. */
export async function runToEnd(command: string, args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  const child = spawn(command, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return performance.now() - startMs;
}

/** Milliseconds to run `count` processes at once and `count` durable commits one by one. */
export async function bareBurst(count: number): Promise<number> {
  const startMs = performance.now();
  await Promise.all(Array.from({ length: count }, () => runToEnd('sleep', ['0'])));
  const spawnsMs = performance.now() - startMs;
  return spawnsMs + (await bareCommits(count)).reduce((sum, ms) => sum + ms, 0);
}

/** The same in a new, small process: after minutes of measuring, this process is large and slow to fork. */
export async function bareBurstApart(count: number): Promise<number> {
  const script = path.join(import.meta.dirname, 'bare-burst.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Number(await text(child.stdout));
}

/** Milliseconds of each of `count` durable commits of the size of an object. */
export async function bareCommits(count: number): Promise<readonly number[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-bench-'));
  const database = openLmdb<Buffer, number>({
    path: path.join(folder, 'bare.mdb'),
    noSubdir: true,
    encoding: 'binary',
    overlappingSync: false,
  });
  try {
    const value = Buffer.alloc(COMMIT_BYTES, 120);
    return Array.from({ length: count }, (_, key) => {
      const startMs = performance.now();
      database.transactionSync(() => void database.put(key, value));
      return performance.now() - startMs;
    });
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}
