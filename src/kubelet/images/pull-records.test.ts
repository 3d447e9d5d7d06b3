import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { PullRecords } from './pull-records.ts';

const IMAGE = 'a.example/team/app:1';
const SOURCE = { uid: '1', namespace: 'n', name: 's' };
const OURS = { username: 'me', password: 'secret', source: SOURCE };
const THEIRS = { username: 'you', password: 'other', source: { ...SOURCE, uid: '2', name: 't' } };

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-pulls-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

function open(): PullRecords {
  return new PullRecords({
    rootFolder: root,
    policy: 'NeverVerifyPreloadedImages',
    clock: new VirtualClock(),
    log: silentLog,
  });
}

const filesIn = async (name: string): Promise<readonly string[]> =>
  readdir(path.join(root, 'image_manager', name)).catch(() => []);

test('a preloaded image may be used by every pod', async () => {
  expect(await open().mayUse(IMAGE, 'sha256:1', [])).toBe(true);
});

test('one that was pulled with a secret may be used by pods that have it, even after a restart', async () => {
  const records = open();
  await records.begin(IMAGE);
  await records.succeeded(IMAGE, 'sha256:1', OURS);
  expect(await filesIn('pulling')).toEqual([]);
  const [file = ''] = await filesIn('pulled');
  expect(file).toMatch(/^sha256-[0-9a-f]{64}$/);
  const text = await readFile(path.join(root, 'image_manager/pulled', file), 'utf8');
  expect(text).toContain('"kind":"ImagePulledRecord"');
  expect(text).not.toContain('secret"');
  const later = open();
  expect(await later.mayUse(IMAGE, 'sha256:1', [])).toBe(false);
  expect(await later.mayUse(IMAGE, 'sha256:1', [THEIRS])).toBe(false);
  expect(await later.mayUse('a.example/team/app:2', 'sha256:1', [OURS])).toBe(true);
});

test("an image that the node's credentials or an anonymous pull can get may be used by every pod", async () => {
  const records = open();
  await records.succeeded(IMAGE, 'sha256:1', { username: 'node', password: 'p' });
  await records.succeeded(IMAGE, 'sha256:2', null);
  expect(await records.mayUse(IMAGE, 'sha256:1', [])).toBe(true);
  expect(await records.mayUse(IMAGE, 'sha256:2', [])).toBe(true);
});

test('a pull that was interrupted by a crash leaves no image that needs no credentials', async () => {
  await open().begin(IMAGE);
  const later = open();
  expect(await later.mayUse(IMAGE, 'sha256:1', [OURS])).toBe(false);
  await later.begin(IMAGE);
  await later.succeeded(IMAGE, 'sha256:1', OURS);
  expect(await later.mayUse(IMAGE, 'sha256:1', [OURS])).toBe(true);
});

test('of two pulls of one image, the one that fails does not end the other', async () => {
  const records = open();
  await records.begin(IMAGE);
  await records.begin(IMAGE);
  await records.failed(IMAGE);
  expect(await filesIn('pulling')).toHaveLength(1);
  await records.failed(IMAGE);
  expect(await filesIn('pulling')).toEqual([]);
});

test('removed images are forgotten', async () => {
  const records = open();
  await records.succeeded(IMAGE, 'sha256:1', OURS);
  await records.keepOnly(new Set(['sha256:1']));
  expect(await filesIn('pulled')).toHaveLength(1);
  await records.keepOnly(new Set());
  expect(await filesIn('pulled')).toEqual([]);
});
