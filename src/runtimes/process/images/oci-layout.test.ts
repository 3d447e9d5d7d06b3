import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { writeBlob, writeLayout } from '../../../../test/support/layout-writer.ts';
import { tarOf } from '../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import type { LeftOut } from './layers/unpack-layer.ts';
import { unpackedImage, unpackLayout, type UnpackedImage } from './oci-layout.ts';

let layout: string;
let folder: string;
let leftOut: LeftOut[];

beforeEach(() => {
  const base = makeTempFolder();
  layout = path.join(base, 'layout');
  folder = path.join(base, 'images');
  leftOut = [];
  mkdirSync(folder);
});

function unpack(signal = new AbortController().signal): Promise<UnpackedImage> {
  const onLeftOut = (left: LeftOut): void => void leftOut.push(left);
  return unpackLayout({ image: 'app', layout, folder, signal, onLeftOut });
}

/** The error, after checking that nothing unpacked is left. */
async function refusal(): Promise<string> {
  const error: unknown = await unpack().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'IMAGE_UNUSABLE' });
  expect(readdirSync(folder)).toEqual([]);
  expect(await unpackedImage(layout, folder)).toBeNull();
  return String(error);
}

test('an image is unpacked once, with all its layers', async () => {
  const lower = writeBlob(
    layout,
    tarOf([
      { name: 'a', content: '1' },
      { name: 'b', content: '2' },
    ]),
  );
  const upper = {
    ...writeBlob(layout, gzipSync(tarOf([{ name: '.wh.a' }, { name: 'c', type: 'fifo' }]))),
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
  };
  const ref = writeLayout(layout, [lower, upper], { Cmd: ['run'] });
  const image = await unpack();
  expect(image).toMatchObject({ ref, defaults: { args: ['run'] } });
  expect(readdirSync(image.root)).toEqual(['b']);
  expect(readdirSync(folder)).toEqual([ref.slice('sha256:'.length)]);
  expect(leftOut).toEqual([{ device: 0, fifo: 1, metadata: 0, xattr: 0 }]);
  expect(await unpack()).toEqual(image);
  expect(leftOut).toHaveLength(1);
});

test('a layer that does not match its digest is refused, and nothing is left', async () => {
  const blob = writeBlob(layout, tarOf([{ name: 'a', content: '1' }]));
  const file = path.join(layout, 'blobs/sha256', blob.digest.slice('sha256:'.length));
  writeFileSync(file, tarOf([{ name: 'a', content: '2' }]));
  writeLayout(layout, [blob]);
  expect(await refusal()).toContain(`${blob.digest} is damaged`);
});

test('a layer that does not match the size in its descriptor is refused', async () => {
  const blob = writeBlob(layout, tarOf([]));
  const file = path.join(layout, 'blobs/sha256', blob.digest.slice('sha256:'.length));
  appendFileSync(file, '\0');
  writeLayout(layout, [blob]);
  expect(await refusal()).toContain('has 1025 bytes, and its descriptor says 1024');
});

test('a missing layer is refused', async () => {
  writeLayout(layout, [{ digest: `sha256:${'0'.repeat(64)}`, size: 1 }]);
  expect(await refusal()).toContain('ENOENT');
});

test.each([
  ['without a size', {}, 'has no size'],
  ['with a digest that is a path', { digest: 'sha256:../../x', size: 1 }, 'a digest is not sha256'],
])('a descriptor %s is refused', async (_what, change, reason) => {
  const { digest } = writeBlob(layout, tarOf([]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  writeLayout(layout, [{ digest, ...change } as { digest: string; size: number }]);
  expect(await refusal()).toContain(reason);
});

test('a manifest or a configuration that was changed is refused', async () => {
  const ref = writeLayout(layout, []);
  const file = path.join(layout, 'blobs/sha256', ref.slice('sha256:'.length));
  writeFileSync(file, readFileSync(file, 'utf8').replace('"schemaVersion":2', '"schemaVersion":3'));
  expect(await refusal()).toContain(`${ref} is damaged`);
});

test('a layer that fails in its middle leaves nothing', async () => {
  const good = writeBlob(layout, tarOf([{ name: 'a', content: '1' }]));
  const bad = writeBlob(layout, tarOf([{ name: 'b', content: '1' }, { name: '../c' }]));
  writeLayout(layout, [good, bad]);
  expect(await refusal()).toContain(
    `layer ${bad.digest}: entry "../c": its name leads out of the image`,
  );
});

test('aborting ends it immediately and leaves nothing', async () => {
  const content = Buffer.alloc(8 * 1024 * 1024);
  const entries = Array.from({ length: 20 }, (_, index) => ({ name: `f${index}`, content }));
  writeLayout(layout, [writeBlob(layout, gzipSync(tarOf(entries), { level: 1 }))]);
  const controller = new AbortController();
  const unpacking = unpack(controller.signal);
  const reason = new Error('no longer wanted');
  const root = (): string | undefined => readdirSync(folder).find((name) => name.endsWith('.new'));
  await expect.poll(() => existsSync(path.join(folder, root() ?? '-', 'root/f1'))).toBe(true);
  controller.abort(reason);
  await expect(unpacking).rejects.toBe(reason);
  expect(readdirSync(folder)).toEqual([]);
});

test('other users cannot reach the setuid programs of an image', async () => {
  writeLayout(layout, [writeBlob(layout, tarOf([{ name: 'su', content: 'x', mode: 0o4755 }]))]);
  const { root } = await unpack();
  expect(statSync(path.dirname(root)).mode & 0o777).toBe(0o700);
  expect(statSync(root).mode & 0o777).toBe(0o755);
});

test('leftovers of an earlier attempt are removed first', async () => {
  const ref = writeLayout(layout, [writeBlob(layout, tarOf([{ name: 'a', content: '1' }]))]);
  const draft = path.join(folder, `${ref.slice('sha256:'.length)}.new`);
  mkdirSync(path.join(draft, 'root/old'), { recursive: true });
  const { root } = await unpack();
  expect(readdirSync(root)).toEqual(['a']);
});
