/** `podkeep up -- npm test` with real pods: the tenth run passes like the first, and nothing is left over. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { leftoversOf, processesOf } from './support/leftovers.ts';
import { podkeepProgram } from './support/podkeep-up.ts';
import { lendProgram } from './support/programs.ts';
import { makeWorkFolder, removeWorkFolder } from './support/work-folder.ts';

const RUNS = 10;
const RUN_MS = 90_000;
/** Creates, so it fails if anything of an earlier run is left. */
const SCRIPT = [
  'kubectl create configmap once --from-literal=a=b',
  'kubectl run lives --image=sh --command -- sleep 600',
  'kubectl wait --for=condition=Ready pod/lives --timeout=60s',
].join(' && ');

const folder = makeWorkFolder('ephemeral');
afterAll(() => removeWorkFolder(folder));

test(
  'ten runs of npm test pass, and each leaves no process, mount, group, network or folder',
  () => {
    const bin = path.join(folder, 'bin');
    const home = path.join(folder, 'home');
    const tmp = path.join(folder, 'tmp');
    for (const each of [bin, home, tmp]) mkdirSync(each);
    lendProgram('kubectl', path.join(bin, 'kubectl'));
    const manifest = { name: 'tested', version: '1.0.0', scripts: { test: SCRIPT } };
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: home, TMPDIR: tmp };
    for (let run = 1; run <= RUNS; run += 1) {
      const words = [...podkeepProgram(), 'up', '--', 'npm', 'test'];
      const options = { cwd: folder, env, encoding: 'utf8', timeout: RUN_MS } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
      expect(status, `run ${run}\n${stdout}\n${stderr}`).toBe(0);
      expect(stdout).toContain('condition met');
      const data = /^ {2}data {5}(.*)$/m.exec(stderr)?.[1] ?? '';
      expect(path.dirname(data)).toBe(tmp);
      // Names of control groups, networks and entries of /run derive from the folder's name.
      expect(leftoversOf(data), `run ${run}`).toEqual([]);
      expect(processesOf(folder), `run ${run}`).toEqual([]);
      expect(readdirSync(tmp), `run ${run}`).toEqual([]);
      expect(existsSync(path.join(home, '.local')), 'the usual data folder').toBe(false);
    }
  },
  RUNS * RUN_MS,
);
