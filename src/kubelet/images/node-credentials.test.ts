import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { dockerConfigFiles, NodeCredentials } from './node-credentials.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'podkeep-credentials-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, text: string): Promise<void> =>
  writeFile(path.join(folder, name), text);

function harness() {
  const clock = new VirtualClock();
  const files = ['first.json', 'second.json'].map((name) => path.join(folder, name));
  const credentials = new NodeCredentials({ clock, log: silentLog, files });
  const users = async () =>
    (await credentials.entries()).map((entry) => entry.credentials.username);
  return { clock, users };
}

test('the first file that can be read counts', async () => {
  await write('first.json', 'no JSON');
  await write('second.json', '{"auths":{"a.example":{"username":"u"}}}');
  expect(await harness().users()).toEqual(['u']);
});

test('a file that exists and cannot be read is logged, and a missing one is not', async () => {
  const notified: unknown[] = [];
  const log = { ...silentLog, warn: (_text: string, facts?: object) => void notified.push(facts) };
  const files = ['missing.json', 'folder'].map((name) => path.join(folder, name));
  await mkdir(path.join(folder, 'folder'));
  const credentials = new NodeCredentials({ clock: new VirtualClock(), log, files });
  expect(await credentials.entries()).toEqual([]);
  expect(notified).toEqual([
    { file: files[1], error: expect.objectContaining({ code: 'EISDIR' }) },
  ]);
});

test('two concurrent calls get the same answer', async () => {
  await write('first.json', '{"auths":{"a.example":{"username":"u"}}}');
  const { users } = harness();
  expect(await Promise.all([users(), users()])).toEqual([['u'], ['u']]);
});

test('it is read again after five minutes, and not before', async () => {
  const { clock, users } = harness();
  expect(await users()).toEqual([]);
  await write('first.json', '{"auths":{"a.example":{"username":"new"}}}');
  await clock.pass(299_999);
  expect(await users()).toEqual([]);
  await clock.pass(1);
  expect(await users()).toEqual(['new']);
});

test('files are searched where Docker has them', () => {
  expect(dockerConfigFiles('/var/lib/kubelet', '/root')).toEqual([
    '/var/lib/kubelet/config.json',
    '/root/.docker/config.json',
    '/.docker/config.json',
    '/var/lib/kubelet/.dockercfg',
    '/root/.dockercfg',
    '/.dockercfg',
  ]);
  expect(dockerConfigFiles('/n', '')).toHaveLength(4);
});
