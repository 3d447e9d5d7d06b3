import { expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
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

test('names that every object has are names of no image', async () => {
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
