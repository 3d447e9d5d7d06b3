import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutLines, formatLogTime, LINE_BYTES_MAX } from './cri-lines.ts';

const TIME = '2030-01-02T03:04:05.678000000Z';
const cut = (text: string, isLast = false): readonly [string, number] => {
  const { log, consumed } = cutLines(Buffer.from(text), 'stdout', TIME, isLast);
  return [Buffer.from(log).toString().replaceAll(TIME, 'T'), consumed];
};

describe('lines of a log', () => {
  test('a whole line is marked F', () => {
    expect(cut('a\nb\n')).toEqual(['T stdout F a\nT stdout F b\n', 4]);
  });

  test('an empty line is kept', () => {
    expect(cut('\n')).toEqual(['T stdout F \n', 1]);
  });

  test('a line without its end waits for it', () => {
    expect(cut('a\nb')).toEqual(['T stdout F a\n', 2]);
    expect(cut('')).toEqual(['', 0]);
  });

  test('a line that never ended is marked P', () => {
    expect(cut('a\nb', true)).toEqual(['T stdout F a\nT stdout P b\n', 3]);
  });

  test('a long line is cut into parts, and only the last is marked F', () => {
    const long = 'x'.repeat(LINE_BYTES_MAX);
    expect(cut(`${long}\n`)[0]).toBe(`T stdout F ${long}\n`);
    expect(cut(`${long}y\n`)[0]).toBe(`T stdout P ${long}\nT stdout F y\n`);
    expect(cut(`${long}y`)).toEqual([`T stdout P ${long}\n`, LINE_BYTES_MAX]);
  });

  test('a time has nine digits', () => {
    expect(formatLogTime(Date.UTC(2030, 0, 2, 3, 4, 5, 678))).toBe(TIME);
  });

  test('nothing is lost, however the bytes arrive', () => {
    const anyChunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(anyChunks, (chunks) => {
        let rest: Uint8Array = new Uint8Array();
        let logged = Buffer.alloc(0);
        for (const chunk of [...chunks, new Uint8Array()]) {
          rest = Buffer.concat([rest, chunk]);
          const { log, consumed } = cutLines(rest, 'stderr', TIME, chunk === chunks.at(-1));
          rest = rest.subarray(consumed);
          logged = Buffer.concat([logged, log]);
        }
        const last = cutLines(rest, 'stderr', TIME, true);
        expect(readBack(Buffer.concat([logged, last.log]))).toEqual(Buffer.concat(chunks));
      }),
    );
  });
});

/** The output that a reader of the log gets. */
function readBack(log: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < log.length) {
    const end = log.indexOf('\n', at);
    const head = at + TIME.length + ' stderr F '.length;
    const isFull = log.subarray(at, head).toString().endsWith(' F ');
    parts.push(log.subarray(head, end), Buffer.from(isFull ? '\n' : ''));
    at = end + 1;
  }
  return Buffer.concat(parts);
}
