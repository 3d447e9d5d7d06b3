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
import { linesOf, Stage, until } from '../suites/pod-runtime/stage.ts';
import { buildKeeper, startKeeper } from './keeper-process.ts';
import { openAt, removeAll } from './process-runtime.ts';

let built: ReturnType<typeof buildKeeper>;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(() => {
  built = buildKeeper('killed-keeper.ts');
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

      // While nobody looks, one container ends and another goes on writing.
      const inits = ['forever-4', 'counter-0', 'short-0'].map((name) => initOf(folder, name));
      writeFileSync(path.join(folder, 'go', 'now'), '');
      await until(() => !existsSync(`/proc/${inits[2]}`));

      const runtime = await openAt(path.join(folder, 'runtime'), { isolation });
      cleanups.push(async () => {
        await removeAll(runtime);
        await runtime.close();
      });
      const stage = stageOver(runtime, folder);
      const { containers, sandboxes } = await runtime.inspect('pod-1');
      const byName = new Map(containers.map((container) => [container.name, container]));
      expect(sandboxes).toMatchObject([{ ready: true }]);
      expect(byName.get('forever')).toMatchObject({ state: 'running', restartCount: 4 });
      expect(byName.get('short')).toMatchObject({ state: 'exited', exitCode: 5, reason: 'Error' });
      expect(byName.get('created')).toMatchObject({ state: 'created' });
      expect(linesOf(await stage.log('short'))).toEqual(['late']);
      expect(initOf(folder, 'forever-4')).toBe(inits[0]);

      const counter = byName.get('counter')?.id ?? '';
      expect((await stage.exited(counter)).exitCode).toBe(0);
      expect(linesOf(await stage.log('counter'))).toEqual(
        Array.from({ length: 20 }, (_, index) => `line ${index}`),
      );
      await stage.stop(byName.get('forever')?.id ?? '', 20);
      expect((await stage.container(byName.get('forever')?.id ?? '')).exitCode).toBe(0);
      for (const pid of inits) await until(() => !existsSync(`/proc/${pid}`));
    });
  },
);

test('a folder that another podkeep keeps is not taken from it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-killed-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'go'));
  const keeper = startKeeper(built.program, [folder, 'none']);
  cleanups.push(async () => {
    keeper.child.kill('SIGKILL');
    await keeper.ended;
    const runtime = await openAt(path.join(folder, 'runtime'), { isolation: 'none' });
    await removeAll(runtime);
    await runtime.close();
  });
  await until(() => keeper.said().includes('ready'));
  await expect(openAt(path.join(folder, 'runtime'), {})).rejects.toMatchObject({
    code: 'RUNTIME_FOLDER_IN_USE',
  });
});

async function liveAndDie(folder: string, isolation: string): Promise<void> {
  const keeper = startKeeper(built.program, [folder, isolation]);
  await until(() => keeper.said().includes('ready'));
  keeper.child.kill('SIGKILL');
  await keeper.ended;
}

function stageOver(runtime: PodRuntime, folder: string): Stage {
  return new Stage({
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
