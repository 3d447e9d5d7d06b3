import { expect, test } from 'vitest';
import { imageTagOf } from './image-tag.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['busybox', 'latest'],
  ['busybox:latest', 'latest'],
  ['nginx:1.2', '1.2'],
  ['library/nginx', 'latest'],
  ['registry.example.com/team/app:v1', 'v1'],
  ['registry.example.com:5000/app', 'latest'],
  ['localhost:5000/app:x', 'x'],
  ['localhost/app', 'latest'],
  ['Registry/app', 'latest'],
  ['[fd00::1]:5000/app:x', 'x'],
  [`app:1@${DIGEST}`, '1'],
])('%s has the tag %s', (image, tag) => {
  expect(imageTagOf(image)).toBe(tag);
});

test('a digest identifies the image, so no tag is needed', () => {
  expect(imageTagOf(`app@${DIGEST}`)).toBeUndefined();
});

test.each([
  [''],
  [' x'],
  ['Foo'],
  ['app:'],
  ['app:-x'],
  ['app@sha256:abc'],
  ['app@md5:' + 'a'.repeat(32)],
  ['a//b'],
  ['a'.repeat(64)],
  ['app:' + 'x'.repeat(129)],
  [`example.com/${'a'.repeat(256)}`],
])('%j is not an image reference, and has no tag', (image) => {
  expect(imageTagOf(image)).toBeUndefined();
});

test('a long text takes linear time', () => {
  expect(imageTagOf(`${'a-'.repeat(50_000)}!`)).toBeUndefined();
});
