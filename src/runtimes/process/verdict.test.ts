import { expect, test } from 'vitest';
import { judge, type Evidence } from './verdict.ts';

const EVIDENCE: Evidence = {
  notes: { isRunning: true },
  startedAtMs: 1000,
  finishedAtMs: 2000,
  wasOutOfMemory: false,
  trouble: '',
};

test('an exit code is the last word', () => {
  expect(judge({ ...EVIDENCE, notes: { isRunning: true, exitCode: 0 } })).toEqual({
    exitCode: 0,
    startedAtMs: 1000,
    finishedAtMs: 2000,
    reason: 'Completed',
  });
  const failed = { ...EVIDENCE, notes: { isRunning: true, exitCode: 3 } };
  expect(judge(failed)).toMatchObject({ exitCode: 3, reason: 'Error' });
});

test('no exit code and no process means that it was killed', () => {
  expect(judge(EVIDENCE)).toMatchObject({ exitCode: 137, reason: 'Error' });
  expect(judge({ ...EVIDENCE, notes: { isRunning: false } })).toMatchObject({ exitCode: 137 });
});

test('memory is the reason if it was, but not of an end in good order', () => {
  const evidence = { ...EVIDENCE, wasOutOfMemory: true };
  expect(judge(evidence).reason).toBe('OOMKilled');
  expect(judge({ ...evidence, notes: { isRunning: true, exitCode: 0 } }).reason).toBe('Completed');
});

test('what never ran has no start, and says why', () => {
  const notes = { isRunning: false, failure: 'no such command', exitCode: 127 };
  const result = judge({ ...EVIDENCE, notes });
  expect(result).toMatchObject({ exitCode: 128, reason: 'StartError', message: 'no such command' });
  expect(result).not.toHaveProperty('startedAtMs');
});

test('without its own words, those of the programs before it must do', () => {
  const notes = { isRunning: false, failure: '' };
  expect(judge({ ...EVIDENCE, notes, trouble: 'mount: no' }).message).toBe('mount: no');
  expect(judge({ ...EVIDENCE, notes }).message).not.toBe('');
});
