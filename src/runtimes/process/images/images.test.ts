import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { writeBlob, writeLayout } from '../../../../test/support/layout-writer.ts';
import { silentLog } from '../../../../test/support/silent-ports.ts';
import { tarOf } from '../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { fullName, ProcessImages } from './images.ts';

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['nginx:1.27', 'docker.io/library/nginx:1.27'],
  ['team/app', 'docker.io/team/app:latest'],
  ['docker.io/library/nginx:latest', 'docker.io/library/nginx:latest'],
  ['localhost/app', 'localhost/app:latest'],
  ['registry:5000/app', 'registry:5000/app:latest'],
  ['registry:5000/app:2', 'registry:5000/app:2'],
  ['app:1@sha256:abc', 'docker.io/library/app@sha256:abc'],
])('%s means %s', (image, full) => {
  expect(fullName(image)).toBe(full);
});

const images = new ProcessImages({
  folder: '/nowhere',
  mappings: {
    web: { command: ['serve'], user: '77' },
    file: { folder: '/etc/passwd' },
    relative: { folder: 'somewhere' },
  },
  log: silentLog,
  defaultUid: 1000,
});

test('names that every object has are no names of images', async () => {
  expect(await images.find('constructor')).toBeNull();
  expect(await images.find('constructor', { hasCommand: true })).toMatchObject({ ref: 'host' });
});

test('the user of an image is known before it runs', async () => {
  expect(await images.find('web')).toMatchObject({ ref: 'web', uid: 77 });
  expect(await images.find('other', { hasCommand: true })).toMatchObject({ uid: 1000 });
});

test('a mapping to something that is no folder is named', async () => {
  for (const image of ['file', 'relative']) {
    await expect(images.find(image)).rejects.toMatchObject({ code: 'IMAGE_UNUSABLE' });
  }
});

test('an image that is requested twice at once is unpacked once, and a warning says what it lacks', async () => {
  const folder = makeTempFolder();
  const layout = path.join(folder, 'layout');
  const entries = [
    { name: 'a', content: 'x' },
    { name: 'dev/null', type: 'characterDevice' as const },
  ];
  const ref = writeLayout(layout, [writeBlob(layout, tarOf(entries))]);
  const warn = vi.fn<typeof silentLog.warn>();
  const mapped = new ProcessImages({
    folder,
    mappings: { app: { ociLayout: layout } },
    log: { ...silentLog, warn },
    defaultUid: 1000,
  });
  const { signal } = new AbortController();
  const pulls = [mapped.pull('app', null, signal), mapped.pull('app', null, signal)];
  const [resolved] = await Promise.all([mapped.resolve('app', false, signal), ...pulls]);
  expect(await Promise.all(pulls)).toEqual([ref, ref]);
  expect(readdirSync(resolved.root ?? '-')).toEqual(['a']);
  expect(warn.mock.calls).toEqual([
    [
      'Skipped some entries of the image while unpacking it',
      { image: 'app', device: 1, fifo: 0, metadata: 0, xattr: 0 },
    ],
  ]);
});
