/**
 * podkeep is killed at any moment of a busy life. What it acknowledged exists afterwards, nothing has
 * been started twice, and nothing unknown runs.
 *
 * `KILLS=20 npx vitest run test/runtimes/crash` for a long run.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RuntimeContainer } from '../../src/api/runtime-pod.ts';
import { keyOf } from '../../src/runtimes/process/layout.ts';
import { until } from '../suites/pod-runtime/runtime-harness.ts';
import { buildOwner, startOwner } from './owner-process.ts';
import { openAt, removeAll } from './process-runtime.ts';

let built: ReturnType<typeof buildOwner>;
const KILLS = Number(process.env['KILLS'] ?? 2);
const LIFE_MS_MAX = 400;

beforeAll(() => {
  built = buildOwner('busy-owner.ts');
});

afterAll(() => built.remove());

test.each(['auto', 'none'] as const)(
  'whatever podkeep was doing when it was killed, the next one knows (isolation %s)',
  async (isolation) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-crash-'));
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, 'count'));
    chmodSync(path.join(folder, 'count'), 0o777);
    onTestFinished(async () => {
      await empty(folder, isolation);
      rmSync(folder, { recursive: true, force: true });
    });
    for (let round = 0; round < KILLS; round++) {
      const given = await liveAndDie(folder, isolation, round);
      const runtime = await openAt(path.join(folder, 'runtime'), { isolation });
      const pods = await runtime.list();
      const found = new Map(pods.flatMap(({ pod }) => pod.containers).map((c) => [c.name, c]));
      expect([...brokenPromises(given, found)]).toEqual([]);
      for (const container of found.values()) await ranOnce(container, path.join(folder, 'count'));
      await runtime.close();
    }
    await empty(folder, isolation);
    await until(() => commandsOf(folder).length === 0);
    expect(leftOutside(path.join(folder, 'runtime'))).toEqual([]);
    // Each ran once; one that was stopped immediately may not have got so far.
    for (const name of readdirSync(path.join(folder, 'count'))) {
      expect(readFileSync(path.join(folder, 'count', name), 'utf8')).toMatch(/^(?:x\n)?$/);
    }
  },
  60_000 + KILLS * 20_000,
);

async function ranOnce({ state, name }: RuntimeContainer, counts: string): Promise<void> {
  const file = path.join(counts, name);
  if (state === 'running')
    await until(() => existsSync(file) && readFileSync(file, 'utf8') === 'x\n');
}

/** What was acknowledged and is not so. */
function* brokenPromises(
  given: ReadonlySet<string>,
  found: ReadonlyMap<string, RuntimeContainer>,
): Generator<string> {
  for (const line of given) {
    const [verb = '', name = ''] = line.split(' ');
    const container = found.get(name);
    if (name === '' || given.has(`removing ${name}`)) continue;
    const allowed = {
      created: ['created', 'running', 'exited'],
      started: ['running', 'exited'],
      stopped: ['exited'],
    }[verb];
    if (!container || !allowed?.includes(container.state)) yield `${line}: ${container?.state}`;
    if (verb === 'stopped' && container?.exitCode !== 137) yield `${line}: ${container?.exitCode}`;
  }
}

/** Returns what was acknowledged before the kill. */
async function liveAndDie(
  folder: string,
  isolation: string,
  round: number,
): Promise<ReadonlySet<string>> {
  const owner = startOwner(built.program, [folder, isolation, String(round)]);
  await until(() => owner.given().includes('started'));
  await delay(LIFE_MS_MAX * Math.random());
  owner.child.kill('SIGKILL');
  await owner.ended;
  return new Set(owner.given().split('\n').slice(0, -1));
}

async function empty(folder: string, isolation: 'auto' | 'none'): Promise<void> {
  if (!existsSync(path.join(folder, 'runtime'))) return;
  const runtime = await openAt(path.join(folder, 'runtime'), { isolation });
  await removeAll(runtime);
  await runtime.close();
}

/** What the runtime had outside of its folder. */
function leftOutside(folder: string): readonly string[] {
  const key = keyOf(folder);
  const places = [
    '/run/podkeep',
    '/sys/class/net',
    '/dev/shm',
    '/sys/fs/cgroup/memory',
    '/sys/fs/cgroup',
  ];
  return places.flatMap((place) => {
    try {
      return readdirSync(place).filter((name) => name.includes(key));
    } catch {
      // Not on this machine, or root's alone.
      return [];
    }
  });
}

/** The processes of containers that are in this folder; a guard may stay for a moment. */
function commandsOf(folder: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return /^\d+$/.test(name) && words.includes(`${folder}/runtime/init.sh`);
    } catch {
      return false;
    }
  });
}
