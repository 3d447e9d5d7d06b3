import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { filesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import { WatchedFiles } from './watched-files.ts';

function harness() {
  const clock = new VirtualClock(undefined, filesSettled);
  const folder = makeTempFolder();
  const files = ['a', 'b'].map((name) => path.join(folder, name));
  for (const file of files) writeFileSync(file, 'old');
  const seen: (readonly string[])[] = [];
  const warnings: string[] = [];
  const watched = new WatchedFiles({
    clock,
    log: { ...silentLog, warn: (message) => warnings.push(message) },
    files,
    texts: ['old', 'old'],
    changed: (texts) => {
      if (texts.includes('bad')) throw new Error('bad');
      seen.push(texts);
    },
  });
  return { clock, files, seen, warnings, watched };
}

test('a change is reported within ten seconds, once', async () => {
  const { clock, files, seen, watched } = harness();
  watched.start();
  await clock.pass(60_000);
  expect(seen).toEqual([]);
  writeFileSync(files[1] ?? '', 'new');
  await clock.pass(60_000);
  expect(seen).toEqual([['old', 'new']]);
  watched.stop();
  expect(clock.pending).toBe(0);
});

test('files that cannot be read or used change nothing, and are logged once', async () => {
  const { clock, files, seen, warnings, watched } = harness();
  watched.start();
  rmSync(files[0] ?? '');
  await clock.pass(60_000);
  expect(warnings).toHaveLength(1);
  writeFileSync(files[0] ?? '', 'bad');
  await clock.pass(60_000);
  expect(warnings).toHaveLength(1);
  expect(seen).toEqual([]);
  writeFileSync(files[0] ?? '', 'good');
  await clock.pass(10_000);
  expect(seen).toEqual([['good', 'old']]);
  watched.stop();
});
