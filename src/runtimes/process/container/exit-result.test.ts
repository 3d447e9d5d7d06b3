import { expect, test } from 'vitest';
import { exitResult, type Evidence } from './exit-result.ts';

const EVIDENCE: Evidence = {
  notes: { isRunning: true },
  startedAtMs: 1000,
  finishedAtMs: 2000,
  wasOutOfMemory: false,
  trouble: '',
};

test('an exit code decides', () => {
  expect(exitResult({ ...EVIDENCE, notes: { isRunning: true, exitCode: 0 } })).toEqual({
    exitCode: 0,
    startedAtMs: 1000,
    finishedAtMs: 2000,
    reason: 'Completed',
  });
  const failed = { ...EVIDENCE, notes: { isRunning: true, exitCode: 3 } };
  expect(exitResult(failed)).toMatchObject({ exitCode: 3, reason: 'Error' });
});

test('no exit code and no process means that it was killed', () => {
  expect(exitResult(EVIDENCE)).toMatchObject({ exitCode: 137, reason: 'Error' });
  expect(exitResult({ ...EVIDENCE, notes: { isRunning: false } })).toMatchObject({ exitCode: 137 });
});

test('OOMKilled is the reason if memory was, but not of a normal exit', () => {
  const evidence = { ...EVIDENCE, wasOutOfMemory: true };
  expect(exitResult(evidence).reason).toBe('OOMKilled');
  expect(exitResult({ ...evidence, notes: { isRunning: true, exitCode: 0 } }).reason).toBe(
    'Completed',
  );
});

test('a container that never ran has no start, but a reason', () => {
  const notes = { isRunning: false, failure: 'no such command', exitCode: 127 };
  const result = exitResult({ ...EVIDENCE, notes });
  expect(result).toMatchObject({ exitCode: 128, reason: 'StartError', message: 'no such command' });
  expect(result).not.toHaveProperty('startedAtMs');
});

test('without a message of the monitor, the output of the programs before it is the reason', () => {
  const notes = { isRunning: false, failure: '' };
  expect(exitResult({ ...EVIDENCE, notes, trouble: 'mount: no' }).message).toBe('mount: no');
  expect(exitResult({ ...EVIDENCE, notes }).message).not.toBe('');
});
