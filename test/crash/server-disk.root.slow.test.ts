/**
 * A server whose disk fails: no write is acknowledged, the error has a hint, reads go on, and so do
 * writes as soon as the disk works again.
 */
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { ServerProcess, type Answer } from './server-process.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-server-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(folder: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(await bundlePodkeep('server-disk'), folder);
  onTestFinished(() => server.kill('SIGKILL'));
  return server;
}

function create(server: ServerProcess, name: string, size = 0): Promise<Answer> {
  const data = { fill: 'x'.repeat(size) };
  return server.send('POST', CONFIG_MAPS, { metadata: { name }, data });
}

function skip(context: TestContext, reason: string): never {
  console.log(`skipped: ${reason}`);
  context.skip(reason);
}

function expectRefused({ code, body }: Answer): void {
  expect(code).toBe(500);
  expect(body).toMatchObject({ kind: 'Status', reason: 'InternalError' });
  expect(body['message']).toMatch(/could not be written .*free space and the health of the disk/);
}

test('writes that cannot be synced are refused with a hint, until they can be', async (context) => {
  const folder = makeFolder();
  const server = await start(folder);
  expect(await create(server, 'before')).toMatchObject({ code: 201 });
  const inject = ['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=EIO'];
  const strace = spawn('strace', ['-f', '-o', '/dev/null', ...inject, '-p', `${server.pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    strace.on('error', () => resolve());
    strace.on('exit', () => resolve());
  });
  if (!(await hasBegun(strace, ended))) skip(context, 'strace is missing, or may not trace here');
  for (const name of ['a', 'b', 'c']) expectRefused(await create(server, name));
  expect(await server.send('GET', CONFIG_MAPS)).toMatchObject({ code: 200 });
  strace.kill('SIGINT');
  await ended;
  expect(await create(server, 'after')).toMatchObject({ code: 201 });
  for (const name of ['a', 'b', 'c']) {
    expect(await server.send('GET', `${CONFIG_MAPS}/${name}`)).toMatchObject({ code: 404 });
  }
});

/** strace reports when it holds every thread; before that, a write would still succeed. */
function hasBegun(
  { stderr }: ChildProcessByStdio<null, null, Readable>,
  ended: Promise<void>,
): Promise<boolean> {
  return new Promise((resolve) => {
    let given = '';
    stderr.on('data', (text) => {
      given += String(text);
      if (given.includes(' attached')) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
}

test('a full disk of 2 MiB refuses writes with a hint, and takes them again when there is space', async (context) => {
  const disk = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch {
    skip(context, 'mounting a small disk needs root');
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]));
  const server = await start(path.join(disk, 'data'));
  const ballast = path.join(disk, 'ballast');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  const answers: Answer[] = [];
  for (let n = 0; n < 20; n++) answers.push(await create(server, `c${n}`, 100_000));
  const refused = answers.filter(({ code }) => code !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) expectRefused(answer);
  expect(await server.send('GET', CONFIG_MAPS)).toMatchObject({ code: 200 });
  rmSync(ballast);
  expect(await create(server, 'after')).toMatchObject({ code: 201 });
  for (const [n, { code }] of answers.entries()) {
    const expected = code === 201 ? 200 : 404;
    const found = await server.send('GET', `${CONFIG_MAPS}/c${n}`);
    expect(found.code, `c${n}`).toBe(expected);
  }
});
