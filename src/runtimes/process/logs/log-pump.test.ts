import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { existsSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogPump } from './log-pump.ts';

let base: string;
let folder: string;
let logFile: string;
const punched: string[] = [];
const troubles: unknown[] = [];

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'podkeep-pump-'));
  prepare('first');
});

afterEach(() => {
  rmSync(base, { recursive: true });
  punched.length = 0;
  troubles.length = 0;
});

function prepare(name: string): void {
  folder = path.join(base, name);
  logFile = path.join(folder, 'logs', '0.log');
  mkdirSync(folder);
}

function open(): LogPump {
  return LogPump.open({
    folder,
    logFile,
    punch: (file, bytes) => punched.push(`${path.basename(file)} ${bytes}`),
    onTrouble: (error) => troubles.push(error),
  });
}

function write(text: string, stream = 'stdout'): void {
  appendFileSync(path.join(folder, stream), text);
}

/** The log without its times. */
function logged(file = logFile): string {
  return readFileSync(file, 'utf8').replaceAll(/^\S+ /gm, '');
}

describe('a log pump', () => {
  test('copies whole lines when it is woken, and the rest when it is over', async () => {
    const pump = open();
    write('one\ntw');
    pump.wake('stdout');
    await pump.catchUp();
    expect(logged()).toBe('stdout F one\n');
    write('o\nthree');
    write('bad\n', 'stderr');
    await pump.drain();
    await pump.close();
    expect(logged().split('\n').toSorted()).toEqual(
      ['', 'stderr F bad', 'stdout F one', 'stdout F two', 'stdout P three'].toSorted(),
    );
  });

  test('stamps a line with the time of writing, not that of reading', async () => {
    write('late\n');
    utimesSync(path.join(folder, 'stdout'), 1_900_000_000, 1_900_000_000);
    const pump = open();
    await pump.drain();
    await pump.close();
    expect(readFileSync(logFile, 'utf8')).toBe('2030-03-17T17:46:40.000000000Z stdout F late\n');
  });

  test('goes on where it stopped', async () => {
    for (const line of ['a\n', 'b\n', 'c\n']) {
      write(line);
      const pump = open();
      await pump.catchUp();
      await pump.close();
    }
    expect(logged()).toBe('stdout F a\nstdout F b\nstdout F c\n');
  });

  test('begins a new file when the old one was moved', async () => {
    const pump = open();
    write('old\n');
    await pump.catchUp();
    renameSync(logFile, `${logFile}.1`);
    write('still old\n');
    await pump.catchUp();
    await pump.reopen();
    write('new\n');
    await pump.drain();
    await pump.close();
    expect(logged(`${logFile}.1`)).toBe('stdout F old\nstdout F still old\n');
    expect(logged()).toBe('stdout F new\n');
  });

  test('follows no link in place of the log', () => {
    mkdirSync(path.dirname(logFile));
    writeFileSync(path.join(base, 'victim'), '');
    symlinkSync(path.join(base, 'victim'), logFile);
    expect(open).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });

  test('notifies listeners immediately, even of a line without an end', async () => {
    const pump = open();
    const heard: string[] = [];
    const stop = pump.listen((stream, bytes) =>
      heard.push(`${stream} ${Buffer.from(bytes).toString()}`),
    );
    write('prompt> ');
    await pump.catchUp();
    write('answer\n', 'stderr');
    write('more\n');
    await pump.catchUp();
    stop();
    write('unheard\n');
    await pump.drain();
    await pump.close();
    expect(heard.toSorted()).toEqual(['stderr answer\n', 'stdout more\n', 'stdout prompt> ']);
  });

  test.runIf(existsSync('/dev/full'))(
    'reports a full disk that does not take the lines',
    async () => {
      write('waits\n');
      logFile = '/dev/full';
      const pump = open();
      expect(await pump.drain()).toBe(false);
      await pump.close();
      expect(troubles).toHaveLength(1);
      logFile = path.join(folder, 'logs', '0.log');
      const next = open();
      expect(await next.drain()).toBe(true);
      await next.close();
      expect(logged()).toBe('stdout F waits\n');
    },
  );

  test('frees what it has read', async () => {
    const pump = open();
    write(`${'x'.repeat(1023)}\n`.repeat(5000));
    await pump.drain();
    await pump.close();
    expect(punched.length).toBeGreaterThan(0);
    expect(punched[0]).toMatch(/^stdout \d{7}$/);
  });
});

describe('a kill', () => {
  /** What a kill may leave: an append that did not happen, or happened in part. */
  function tear(fraction: number): void {
    const numbers = readFileSync(path.join(folder, 'position'), 'utf8')
      .trim()
      .split(' ')
      .map(Number);
    const [before = 0, after = 0] = [numbers[3], numbers[6]];
    if (existsSync(logFile))
      truncateSync(logFile, Math.floor(before + (after - before) * fraction));
  }

  test('at any moment loses no line and doubles none', async () => {
    const anyLine = fc.tuple(
      fc.constantFrom('stdout', 'stderr'),
      fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\n', ' ')),
    );
    const anyTurn = fc.record({
      lines: fc.array(anyLine, { maxLength: 4 }),
      torn: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyTurn, { maxLength: 5 }), async (turns) => {
        prepare(`run-${(run += 1)}`);
        const written: Record<string, string[]> = { stdout: [], stderr: [] };
        for (const { lines, torn } of turns) {
          for (const [stream, text] of lines) {
            write(`${text}\n`, stream);
            written[stream]?.push(text);
          }
          const pump = open();
          await pump.catchUp();
          await pump.close();
          if (lines.length > 0) tear(torn);
        }
        const pump = open();
        await pump.drain();
        await pump.close();
        const lines = logged().split('\n').slice(0, -1);
        for (const stream of ['stdout', 'stderr']) {
          const own = lines.filter((line) => line.startsWith(stream));
          expect(own).toEqual(written[stream]?.map((text) => `${stream} F ${text}`));
        }
      }),
      { numRuns: 40 },
    );
    expect(troubles).toEqual([]);
  });
});
