/** Logs of real processes, rotated while a client reads them. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DiskLogSource } from '../../src/kubelet/logs/disk-log-source.ts';
import { LogReader } from '../../src/kubelet/logs/log-reader.ts';
import { LogRotation } from '../../src/kubelet/logs/log-rotation.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { openForTest } from '../runtimes/process-runtime.ts';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { silentLog } from '../support/silent-ports.ts';

const LINES = 150;

test('a log that is rotated again and again is followed without a gap, to its end', async () => {
  const open = await openForTest({ isolation: 'none', cgroups: 'none' });
  const harness = new TestHarness(open);
  onTestFinished(() => harness.close());
  const { runtime } = harness;
  const config = harness.containerConfig({ command: harness.commands.countSlowly(LINES) });
  const id = await harness.start(config);

  const files = {
    logFolder: ({ uid }: { readonly uid: string }) => path.join(harness.folder, 'logs', uid),
    logPath: () => config.logPath,
  };
  const common = { clock: systemClock, log: silentLog, runtime };
  const rotation = new LogRotation({ ...common, files, maxBytes: 1000, maxFiles: 3 });
  const reader = new LogReader({ ...common, source: new DiskLogSource(files) });
  const pod = { uid: 'pod-1', name: 'pod-1', namespace: 'default' };
  const options = { follow: true, timestamps: false, tailLines: null, since: null };
  const run = { pod, container: 'main', attempt: 0 };
  const stream = await reader.read(run, id, { ...options, limitBytes: null });

  let text = '';
  let looks = 0;
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    // At most one rotation for each read: a reader that misses two would lose what is between.
    if (text.length > (looks + 1) * 300) {
      looks += 1;
      await rotation.rotate();
    }
  }
  const numbers = text
    .trim()
    .split('\n')
    .map((line) => Number(/\d+/.exec(line)?.[0]));
  const first = numbers[0] ?? Number.NaN;
  expect(numbers).toEqual(Array.from({ length: LINES }, (_, index) => first + index));
  const names = await readdir(path.dirname(harness.logFile()));
  expect(names.filter((name) => name.startsWith('0.log.')).length).toBeGreaterThan(0);
});
