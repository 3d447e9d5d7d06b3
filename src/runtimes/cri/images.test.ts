import { expect, test } from 'vitest';
import { CriHarness } from '../../../test/support/cri-harness.ts';
import { Nothing } from './messages/common-messages.ts';
import * as messages from './messages/image-messages.ts';

const NEVER = new AbortController().signal;

test('an image is found with its names, its size and its user, or not found', async () => {
  const harness = await CriHarness.start();
  const { images } = await harness.open();
  const { ImageStatusRequest, ImageStatusResponse } = messages;
  harness.reply('ImageStatus', ImageStatusRequest, ImageStatusResponse, ({ image }) => {
    if (image?.image !== 'busybox:1') return {};
    return {
      image: {
        id: 'sha256:abc',
        repoTags: ['docker.io/library/busybox:1'],
        repoDigests: ['docker.io/library/busybox@sha256:def'],
        size: 4096,
        uid: { value: 0 },
        pinned: true,
      },
    };
  });
  expect(await images.find('busybox:1')).toEqual({
    ref: 'sha256:abc',
    names: ['docker.io/library/busybox@sha256:def', 'docker.io/library/busybox:1'],
    sizeBytes: 4096,
    uid: 0,
    isPinned: true,
  });
  expect(await images.find('busybox:2')).toBeNull();
  await expect(images.find('UPPER CASE')).rejects.toMatchObject({ code: 'INVALID_IMAGE_NAME' });
});

test('a pull passes its credentials, and users read the error of the runtime', async () => {
  const harness = await CriHarness.start();
  const { images } = await harness.open();
  const { PullImageRequest, PullImageResponse } = messages;
  harness.reply('PullImage', PullImageRequest, PullImageResponse, ({ image, auth }) => {
    if (auth?.password !== 'secret') return { status: 2, message: 'pull access denied' };
    return { imageRef: `sha256:${image?.image}` };
  });
  const credentials = { username: 'me', password: 'secret' };
  expect(await images.pull('app:1', credentials, NEVER)).toBe('sha256:app:1');
  await expect(images.pull('app:1', null, NEVER)).rejects.toThrow(/^pull access denied$/);
});

test('images are listed, removed and measured', async () => {
  const harness = await CriHarness.start();
  const { images } = await harness.open();
  harness.answer('ListImages', () =>
    messages.ListImagesResponse.write({ images: [{ id: 'a', username: 'app' }] }),
  );
  harness.answer('RemoveImage', () => ({ status: 5, message: 'gone already' }));
  harness.reply('ImageFsInfo', Nothing, messages.ImageFsInfoResponse, () => ({
    imageFilesystems: [
      { fsId: { mountpoint: '/var/lib' }, usedBytes: { value: 10n }, inodesUsed: { value: 2n } },
    ],
  }));
  expect(await images.list()).toMatchObject([{ ref: 'a', userName: 'app', isPinned: false }]);
  await images.remove('a');
  const usage = { mountpoint: '/var/lib', usedBytes: 10, usedInodes: 2 };
  expect(await images.usage()).toEqual(usage);
});
