import { expect, test } from 'vitest';
import { runCommand, runShell } from './small-shell.ts';

test('statements follow one another, and only where the previous one allows it', () => {
  expect(runShell('true && sleep 1; false || sleep 2; exit 3; sleep 9')).toMatchObject({
    endsAtMs: 3000,
    exitCode: 3,
  });
});

test('a loop runs until the container is stopped, and a trap decides its exit', () => {
  const { endsAtMs, onStop } = runShell("trap 'sleep 1; exit 4' TERM; while :; do sleep 0.2; done");
  expect(endsAtMs).toBeNull();
  expect(onStop).toMatchObject({ endsAtMs: 1000, exitCode: 4 });
  expect(runShell("trap '' TERM; sleep infinity").onStop).toBe('ignored');
});

test('files are written at their time, and can be read', () => {
  const run = runShell(
    'sleep 2; echo -n up > /tmp/up; cat /tmp/up; test -f /tmp/up; rm -f /tmp/up',
  );
  expect(run.files).toEqual([
    { atMs: 2000, file: '/tmp/up', text: 'up' },
    { atMs: 2000, file: '/tmp/up', text: null },
  ]);
  expect(run.output).toEqual([{ atMs: 2000, text: 'up' }]);
  expect(runCommand(['test', '!', '-f', '/v/x'], () => 'there').exitCode).toBe(1);
});

test('an unknown command exits with 127', () => {
  expect(runCommand(['/bin/sh', '-c', 'frobnicate']).exitCode).toBe(127);
});
