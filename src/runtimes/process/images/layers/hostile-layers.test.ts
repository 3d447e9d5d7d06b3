/** Layers that try to write outside of the image. Files beside the image must not change. */
import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { LayerHarness, type Layer } from '../../../../../test/support/layer-harness.ts';
import type { TarEntry } from '../../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';

const CHAIN_LENGTH = 41;
const IS_ROOT = process.getuid?.() === 0;

function symlink(name: string, target: string): TarEntry {
  return { name, type: 'symlink', target };
}

/** Links that lead to the folder beside the image, for a program that lets the kernel follow them. */
const WAYS_OUT: Readonly<Record<string, (outside: string) => readonly TarEntry[]>> = {
  'an absolute link': (outside) => [symlink('way', outside)],
  'a relative link': () => [symlink('way', '../../outside')],
  'a link to a link': (outside) => [symlink('b', outside), symlink('way', 'b')],
  'a link through a folder': () => [symlink('a/b', '../../../outside'), symlink('way', 'a/b')],
  'a link to above the image': () => [symlink('up', '../..'), symlink('way', 'up/outside')],
  'a chain of more links than are followed': (outside) =>
    Array.from({ length: CHAIN_LENGTH }, (_, index) =>
      symlink(
        index === CHAIN_LENGTH - 1 ? 'way' : `l${index}`,
        index === 0 ? outside : `l${index - 1}`,
      ),
    ),
};

/** The entries behind the link. */
const ATTACKS: Readonly<Record<string, readonly TarEntry[]>> = {
  'a new file': [{ name: 'way/new', content: 'x', mode: 0o4755 }],
  'a file over one that is there': [{ name: 'way/file', content: 'x' }],
  'a file in a folder below': [{ name: 'way/sub/new', content: 'x' }],
  'a folder': [{ name: 'way/sub', type: 'folder', mode: 0o777 }],
  'a file over a folder': [{ name: 'way/sub', content: 'x' }],
  'a symbolic link': [symlink('way/new', 'file')],
  'a hard link to a file there': [{ name: 'stolen', type: 'hardLink', target: 'way/file' }],
  'a hard link, and then a file over it': [
    { name: 'stolen', type: 'hardLink', target: '/way/file' },
    { name: 'stolen', content: 'x' },
  ],
  'a whiteout': [{ name: 'way/.wh.file' }, { name: 'way/.wh.sub' }],
  'an opaque whiteout': [{ name: 'way/.wh..wh..opq' }],
  'the link itself, taken for a file': [{ name: 'way', content: 'x', mode: 0o777 }],
  'the link itself, taken for a folder': [
    { name: 'way', type: 'folder', mode: 0o777 },
    { name: 'way/file', content: 'x' },
  ],
  'a whiteout of the link itself': [{ name: '.wh.way' }],
  'an opaque whiteout above the link': [{ name: '.wh..wh..opq' }],
};

describe.each(Object.keys(WAYS_OUT))('%s', (way) => {
  describe.each(['the same layer', 'an earlier layer'])('of %s', (where) => {
    test.each(Object.keys(ATTACKS))('and behind it %s', async (attack) => {
      const harness = new LayerHarness(makeTempFolder());
      const before = harness.canary();
      const links = WAYS_OUT[way]?.(harness.outside) ?? [];
      const through = ATTACKS[attack] ?? [];
      const layers = where === 'the same layer' ? [[...links, ...through]] : [links, through];
      // Whether that is refused or done inside of the image: other tests.
      await harness.unpack(...layers).catch(() => undefined);
      expect(harness.canary()).toEqual(before);
    });
  });
});

async function unpacked(...layers: readonly Layer[]): Promise<LayerHarness> {
  const harness = new LayerHarness(makeTempFolder());
  await harness.unpack(...layers);
  return harness;
}

test('a link out of the image leads to a path inside of it, as in a container', async () => {
  const harness = new LayerHarness(makeTempFolder());
  const { outside, root } = harness;
  const link = symlink('way', outside);
  await harness.unpack([link, { name: 'way/new', content: 'x' }]);
  expect(existsSync(path.join(root, outside, 'new'))).toBe(true);
  expect(harness.tree()).toMatchObject({ '/way': `-> ${outside}` });
});

test('an absolute link in a folder leads to the root of the image, not to that folder', async () => {
  const harness = await unpacked([symlink('a/b', '/c'), { name: 'a/b/new', content: 'x' }]);
  expect(harness.tree()).toMatchObject({ '/a/b': '-> /c', '/c/new': '644 x' });
});

test('forty links are followed, and not one more', async () => {
  const chain = (length: number): readonly TarEntry[] =>
    Array.from({ length }, (_, index) =>
      symlink(`l${index}`, index === 0 ? 'end' : `l${index - 1}`),
    );
  const harness = await unpacked([...chain(40), { name: 'l39/new', content: 'x' }]);
  expect(harness.tree()).toMatchObject({ '/end/new': '644 x' });
  await expect(unpacked([...chain(41), { name: 'l40/new', content: 'x' }])).rejects.toThrow(
    'entry "l40/new": /l40 has too many links',
  );
});

test('links that are followed have a limit', async () => {
  const loop = [symlink('a', 'b'), symlink('b', 'a'), { name: 'a/x', content: '' }];
  await expect(unpacked(loop)).rejects.toThrow('entry "a/x": /a has too many links');
});

test('links that make a path long without end are refused', async () => {
  const long = Array.from({ length: 200 }, () => '..').join('/');
  const links = Array.from({ length: 39 }, (_, index) =>
    symlink(`l${index}`, index === 0 ? '.' : `${long}/l${index - 1}`),
  );
  const entries = [...links, { name: 'l38/x', content: '' }];
  await expect(unpacked(entries)).rejects.toThrow('is too long');
});

test.each(['../outside/new', '../../outside/new', 'a/../../../outside/new', '..', '/..'])(
  'the name %s is refused, with the layer and the entry',
  async (name) => {
    const harness = new LayerHarness(makeTempFolder());
    const before = harness.canary();
    await expect(harness.unpack([{ name, content: 'x' }])).rejects.toThrow(
      /^layer sha256:[0-9a-f]{64}: entry ".*": its name leads out of the image$/,
    );
    expect(harness.canary()).toEqual(before);
  },
);

test('an absolute name is a name of the image', async () => {
  const harness = new LayerHarness(makeTempFolder());
  const before = harness.canary();
  await harness.unpack([{ name: path.join(harness.outside, 'file'), content: 'x' }]);
  expect(existsSync(path.join(harness.root, harness.outside, 'file'))).toBe(true);
  expect(harness.canary()).toEqual(before);
});

test.each(['../../outside/file', '/../../outside/file'])(
  'a hard link to %s is refused',
  async (target) => {
    await expect(unpacked([{ name: 'stolen', type: 'hardLink', target }])).rejects.toThrow(
      'entry "stolen": its link target leads out of the image',
    );
  },
);

test('a hard link to a symbolic link is one more such link', async () => {
  const harness = new LayerHarness(makeTempFolder());
  const before = harness.canary();
  const target = path.join(harness.outside, 'file');
  await harness.unpack([symlink('a', target), { name: 'b', type: 'hardLink', target: 'a' }]);
  expect(harness.tree()).toEqual({
    '/': 'folder 755',
    '/a': `-> ${target}`,
    '/b': `-> ${target}`,
  });
  expect(harness.canary()).toEqual(before);
});

test('the time of a folder is not set on the target of a link in its place', async () => {
  const harness = new LayerHarness(makeTempFolder());
  const before = harness.canary();
  await harness.unpack([
    { name: 'a/sub', type: 'folder', mtimeSeconds: 5 },
    { name: 'b', type: 'folder', mtimeSeconds: 5 },
    symlink('a', harness.outside),
    symlink('b', harness.outside),
  ]);
  expect(harness.canary()).toEqual(before);
  expect(lstatSync(path.join(harness.root, 'b')).isSymbolicLink()).toBe(true);
});

test('devices and FIFOs are not created, but counted', async () => {
  const harness = new LayerHarness(makeTempFolder(), { isRoot: IS_ROOT });
  await harness.unpack([
    { name: 'dev/sda', type: 'blockDevice' },
    { name: 'dev/mem', type: 'characterDevice' },
    { name: 'run/pipe', type: 'fifo' },
    { name: '.wh..wh.plnk/x', content: 'metadata' },
    { name: 'after', content: 'x' },
  ]);
  expect(harness.tree()).toEqual({ '/': 'folder 755', '/after': '644 x' });
  expect(harness.leftOut).toEqual({ device: 2, fifo: 1, metadata: 1, xattr: 0 });
});
