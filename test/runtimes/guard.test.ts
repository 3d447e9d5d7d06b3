/** Containers whose folder is gone end by themselves, because no podkeep could ever find them again. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../suites/pod-runtime/runtime-harness.ts';
import { buildOwner, startOwner } from './owner-process.ts';

test.concurrent.for(['auto', 'none'])(
  'containers end when podkeep is dead and their folder was deleted (isolation %s)',
  async (isolation, { onTestFinished }) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-guard-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(path.join(folder, 'go'));
    const built = buildOwner('killed-owner.ts');
    onTestFinished(() => built.remove());
    const owner = startOwner(built.program, [folder, isolation]);
    await until(() => owner.given().includes('ready'));
    const containers = path.join(folder, 'runtime/pods/pod-1');
    const claims = readdirSync(containers)
      .map((name) => path.join(containers, name, 'claim'))
      .filter((file) => existsSync(file));
    const inits = claims.map((file) => Number.parseInt(readFileSync(file, 'utf8'), 10));
    expect(inits.length).toBeGreaterThan(1);
    owner.child.kill('SIGKILL');
    rmSync(path.join(folder, 'runtime'), { recursive: true, force: true });
    // Neither their init processes, nor their commands, nor the guard.
    for (const pid of inits) await until(() => !existsSync(`/proc/${pid}`));
    await until(() => processesOf(folder).length === 0);
  },
);

function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}
