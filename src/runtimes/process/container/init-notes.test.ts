import { describe, expect, test } from 'vitest';
import { NOTES_SPACE, parseClaim, parseNotes } from './init-notes.ts';

describe('a claim', () => {
  test('names the process that runs the container, and its start', () => {
    expect(parseClaim('17 2345 boot-id 16\n', 9)).toEqual({
      init: { pid: 17, start: '2345' },
      session: 16,
      bootId: 'boot-id',
      claimedAtMs: 9,
    });
  });

  test('that is still being written is no claim yet', () => {
    for (const text of ['', '17', '17 2345 boot-id 16', '\n', 'x y z 1\n']) {
      expect(parseClaim(text, 9)).toBeUndefined();
    }
  });

  test('has dashes where the system does not report a value', () => {
    expect(parseClaim('17 - - 17\n', 9)).toMatchObject({
      init: { pid: 17, start: '' },
      bootId: '-',
    });
  });
});

describe('notes', () => {
  const over = (text: string): string => text + NOTES_SPACE.slice(text.length);

  test('are written over the space that was reserved for them', () => {
    expect(parseNotes(NOTES_SPACE)).toEqual({ isRunning: false });
    expect(parseNotes(over('main 20 2350\n'))).toEqual({
      isRunning: false,
      main: { pid: 20, start: '2350' },
    });
    expect(parseNotes(over('main 20 2350\nrunning\nexit 3\n'))).toEqual({
      isRunning: true,
      main: { pid: 20, start: '2350' },
      exitCode: 3,
    });
  });

  test('have the reason why a command never ran', () => {
    expect(parseNotes(over('main 1 2\nfailed exec: "x": not found\nexit 127\n'))).toMatchObject({
      isRunning: false,
      failure: 'exec: "x": not found',
      exitCode: 127,
    });
    expect(parseNotes(over('failed\n')).failure).toBe('');
  });

  test('are not read before their line is complete', () => {
    expect(parseNotes('main 20 2350\nrunning\nexit 1')).not.toHaveProperty('exitCode');
  });
});
