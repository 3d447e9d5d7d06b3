/** A container floods its output while podkeep is down: its monitor keeps the log within bounds. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

const LOGS = { maxBytes: 200_000, maxFiles: 3 };
const LINES = 200_000;

test('no more than the log may hold is kept, no line is lost or doubled in it, and the flood comes to its end', async () => {
  const opened = await openForTest({ network: 'host', logs: LOGS });
  onTestFinished(() => opened.close());
  const harness = new TestHarness(opened);
  // It waits until podkeep is down, and prints when it has written everything.
  const folder = path.join(harness.folder, 'shared');
  const mounts = [
    {
      containerPath: '/shared',
      hostPath: folder,
      isReadOnly: false,
      isRecursiveReadOnly: false,
      propagation: 'None',
    } as const,
  ];
  const script = `until [ -e /shared/go ]; do sleep 0.02; done; seq 1 ${LINES}; exit 7`;
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const id = await harness.start({ command: ['sh', '-c', script], mounts });
  const logFile = path.join(harness.folder, 'logs');
  await opened.runtime.close();
  writeFileSync(path.join(folder, 'go'), '');
  const state = path.join(opened.runtimeFolder, 'pods', 'pod-1', 'main-0', 'state');
  await until(() => readFileSync(state, 'utf8').includes('exit 7'));
  await harness.reopen();
  expect(await harness.container(id)).toMatchObject({ state: 'exited', exitCode: 7 });

  const files = readdirSync(logFile, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(logFile, name))
    .filter((file) => statSync(file).isFile())
    .toSorted((a, b) => (a.endsWith('.log') ? 1 : b.endsWith('.log') ? -1 : a.localeCompare(b)));
  expect(files.length).toBe(LOGS.maxFiles);
  for (const file of files) expect(statSync(file).size).toBeLessThanOrEqual(LOGS.maxBytes);
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  const numbers = lines.map((line) => Number(line.split(' ')[3]));
  expect(numbers.length).toBeGreaterThan(1000);
  expect(numbers.at(-1)).toBe(LINES);
  expect(numbers).toEqual(numbers.map((_, index) => LINES - numbers.length + 1 + index));
});
