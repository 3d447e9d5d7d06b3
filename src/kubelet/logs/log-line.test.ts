import { describe, expect, test } from 'vitest';
import { LineShaper } from './line-shaper.ts';
import { parseLogLine } from './log-line.ts';
import type { LogOptions } from './log-options.ts';

const TIME = '2026-01-02T03:04:05.000000006Z';

function contentOf(text: string): string | null {
  const line = parseLogLine(Buffer.from(text));
  return line && Buffer.from(line.content).toString();
}

function shaped(entries: readonly string[], options: Partial<LogOptions> = {}): string {
  const all = { follow: false, timestamps: false, tailLines: null, since: null, limitBytes: null };
  const shaper = new LineShaper({ ...all, ...options });
  const output: Uint8Array[] = [];
  for (const entry of entries) shaper.shape(Buffer.from(entry), output);
  return Buffer.concat(output).toString();
}

describe('one entry', () => {
  test('has its content, with the end of the line', () => {
    expect(contentOf(`${TIME} stdout F a whole line\n`)).toBe('a whole line\n');
    expect(contentOf(`${TIME} stderr F \n`)).toBe('\n');
    expect(contentOf(`${TIME} stdout F cut off`)).toBe('cut off');
  });

  test('that is partial has no end of the line', () => {
    expect(contentOf(`${TIME} stdout P half\n`)).toBe('half');
    expect(contentOf(`${TIME} stdout P:more half\n`)).toBe('half');
    expect(contentOf(`${TIME} stdout F:P whole\n`)).toBe('whole\n');
  });

  test.each([
    'a whole line\n',
    `${TIME} stdout\n`,
    `${TIME} stdin F x\n`,
    '2026-13-02T03:04:05Z stdout F x\n',
    '\n',
    '',
  ])('%j is invalid', (text) => {
    expect(contentOf(text)).toBeNull();
  });
});

describe('what is shown', () => {
  const entries = [
    `2026-01-02T03:04:05Z stdout F one\n`,
    'nonsense\n',
    `2026-01-02T03:04:06.25Z stderr P tw\n`,
    `2026-01-02T03:04:06.5Z stderr F o\n`,
    `2026-01-02T05:04:07.123456789+02:00 stdout F three\n`,
  ];

  test('is all lines joined, without invalid ones', () => {
    expect(shaped(entries)).toBe('one\ntwo\nthree\n');
  });

  test('has timestamps of nine digits, once for each line', () => {
    expect(shaped(entries, { timestamps: true })).toBe(
      '2026-01-02T03:04:05.000000000Z one\n' +
        '2026-01-02T03:04:06.250000000Z two\n' +
        '2026-01-02T05:04:07.123456789+02:00 three\n',
    );
  });

  test('has nothing older than requested', () => {
    const since = { ms: Date.UTC(2026, 0, 2, 3, 4, 6, 500), nanos: 0 };
    expect(shaped(entries, { since })).toBe('o\nthree\n');
    expect(shaped(entries, { since: { ...since, nanos: 1 } })).toBe('three\n');
  });

  test('ends within a line when the byte limit is reached, its timestamp counted', () => {
    expect(shaped(entries, { limitBytes: 6 })).toBe('one\ntw');
    expect(shaped(entries, { limitBytes: 3, timestamps: true })).toBe('202');
  });

  test('has at most the requested number of entries, unless it is followed', () => {
    expect(shaped(entries, { tailLines: 1 })).toBe('one\n');
    expect(shaped(entries, { tailLines: 0 })).toBe('');
    expect(shaped(entries, { tailLines: 1, follow: true })).toBe('one\ntwo\nthree\n');
  });
});
