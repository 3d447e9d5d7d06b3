/** podkeep is killed in the middle of everything, and the next one finds all that ran. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import { linesOf, TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { buildOwner, startOwner } from './owner-process.ts';
import { openAt, removeAll } from './process-runtime.ts';

let built: ReturnType<typeof buildOwner>;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(() => {
  built = buildOwner('killed-owner.ts');
});

afterAll(() => built.remove());

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe.each(['auto', 'none'] as const)(
  'after a kill -9 of podkeep, isolation %s',
  (isolation) => {
    test('containers are adopted with counts, logs and exit codes, and none is started twice', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-killed-'));
      cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
      chmodSync(folder, 0o755);
      mkdirSync(path.join(folder, 'go'), { mode: 0o755 });
      await liveAndDie(folder, isolation);

      // While podkeep is down, one container exits and another goes on writing.
      const inits = ['forever-4', 'counter-0', 'short-0'].map((name) => initOf(folder, name));
      writeFileSync(path.join(folder, 'go', 'now'), '');
      await until(() => !existsSync(`/proc/${inits[2]}`));

      const runtime = await openAt(path.join(folder, 'runtime'), { isolation });
      cleanups.push(async () => {
        await removeAll(runtime);
        await runtime.close();
      });
      const harness = harnessOver(runtime, folder);
      const { containers, sandboxes } = await runtime.inspect('pod-1');
      const byName = new Map(containers.map((container) => [container.name, container]));
      expect(sandboxes).toMatchObject([{ ready: true }]);
      expect(byName.get('forever')).toMatchObject({ state: 'running', restartCount: 4 });
      expect(byName.get('short')).toMatchObject({ state: 'exited', exitCode: 5, reason: 'Error' });
      expect(byName.get('created')).toMatchObject({ state: 'created' });
      expect(linesOf(await harness.log('short'))).toEqual(['late']);
      expect(initOf(folder, 'forever-4')).toBe(inits[0]);

      const counter = byName.get('counter')?.id ?? '';
      expect((await harness.exited(counter)).exitCode).toBe(0);
      expect(linesOf(await harness.log('counter'))).toEqual(
        Array.from({ length: 20 }, (_, index) => `line ${index}`),
      );
      await harness.stop(byName.get('forever')?.id ?? '', 20);
      expect((await harness.container(byName.get('forever')?.id ?? '')).exitCode).toBe(0);
      for (const pid of inits) await until(() => !existsSync(`/proc/${pid}`));
    });
  },
);

test('a folder that another podkeep has locked is not taken from it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-killed-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'go'));
  const owner = startOwner(built.program, [folder, 'none']);
  cleanups.push(async () => {
    owner.child.kill('SIGKILL');
    await owner.ended;
    const runtime = await openAt(path.join(folder, 'runtime'), { isolation: 'none' });
    await removeAll(runtime);
    await runtime.close();
  });
  await until(() => owner.given().includes('ready'));
  await expect(openAt(path.join(folder, 'runtime'), {})).rejects.toMatchObject({
    code: 'RUNTIME_FOLDER_IN_USE',
  });
});

async function liveAndDie(folder: string, isolation: string): Promise<void> {
  const owner = startOwner(built.program, [folder, isolation]);
  await until(() => owner.given().includes('ready'));
  owner.child.kill('SIGKILL');
  await owner.ended;
}

function harnessOver(runtime: PodRuntime, folder: string): TestHarness {
  return new TestHarness({
    runtime,
    folder,
    image: 'example.com/anything:1',
    commands: shellCommands,
    reopen: () => Promise.resolve(runtime),
    close: () => Promise.resolve(),
  });
}

function initOf(folder: string, name: string): number {
  const claim = path.join(folder, 'runtime/pods/pod-1', name, 'claim');
  return Number.parseInt(readFileSync(claim, 'utf8'), 10);
}
