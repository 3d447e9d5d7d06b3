import { lstatSync, statSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  LayerHarness,
  type HarnessOptions,
  type Layer,
} from '../../../../../test/support/layer-harness.ts';
import { tarOf, type TarEntry } from '../../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';

const IS_ROOT = process.getuid?.() === 0;
const LARGE_BYTES = 3 * 1024 * 1024 + 17;

async function unpacked(
  layers: readonly Layer[],
  options: HarnessOptions = {},
): Promise<LayerHarness> {
  const harness = new LayerHarness(makeTempFolder(), options);
  await harness.unpack(...layers);
  return harness;
}

async function treeOf(...layers: readonly Layer[]): Promise<Readonly<Record<string, string>>> {
  const { '/': _root, ...tree } = (await unpacked(layers)).tree();
  return tree;
}

const folder = (name: string, mode = 0o755): TarEntry => ({ name, type: 'folder', mode });
const file = (name: string, content = 'x'): TarEntry => ({ name, content });
const symlink = (name: string, target: string): TarEntry => ({ name, type: 'symlink', target });
const hardLink = (name: string, target: string): TarEntry => ({ name, type: 'hardLink', target });

describe('an entry', () => {
  test('has its content, its mode and its time', async () => {
    const { root } = await unpacked([
      [
        { ...folder('a', 0o750), mtimeSeconds: 1000 },
        { ...file('a/b', 'content'), mode: 0o640, mtimeSeconds: 2000 },
        { ...symlink('a/c', 'b'), mtimeSeconds: 3000 },
      ],
    ]);
    const look = (name: string): readonly number[] => {
      const { mode, mtimeMs } = lstatSync(path.join(root, name));
      return [mode & 0o7777, mtimeMs / 1000];
    };
    expect(look('a')).toEqual([0o750, 1000]);
    expect(look('a/b')).toEqual([0o640, 2000]);
    expect(look('a/c')[1]).toBe(3000);
  });

  test('that is large is written completely', async () => {
    const content = Buffer.alloc(LARGE_BYTES, 'abcdefg');
    const layer = [{ name: 'large', content }, file('after')];
    for (const each of [tarOf(layer), gzipSync(tarOf(layer))]) {
      const harness = await unpacked([each]);
      expect(harness.tree()).toEqual({
        '/': 'folder 755',
        '/after': '644 x',
        '/large': `644 ${content.toString()}`,
      });
    }
  });

  test('may have a long name, by GNU and by pax, and a path without its folders', async () => {
    const long = `${'d'.repeat(200)}/${'f'.repeat(200)}`;
    expect(await treeOf([file(long, 'gnu')])).toMatchObject({ [`/${long}`]: '644 gnu' });
    const pax = [{ ...file('short', 'pax'), pax: { path: long } }];
    expect(await treeOf(pax)).toEqual({
      [`/${'d'.repeat(200)}/`]: 'folder 755',
      [`/${long}`]: '644 pax',
    });
    const deep = `${'t'.repeat(150)}/x`;
    expect(await treeOf([symlink('a', deep)])).toEqual({ '/a': `-> ${deep}` });
  });

  test('may be the root folder itself', async () => {
    const harness = await unpacked([[folder('./', 0o711), file('./a')]]);
    expect(harness.tree()).toEqual({ '/': 'folder 711', '/a': '644 x' });
  });

  test('replaces what was there', async () => {
    const first = [file('a', 'old'), folder('b'), file('b/c'), symlink('d', 'b'), folder('e')];
    expect(await treeOf(first, [folder('a'), file('b', 'new'), folder('d'), file('e')])).toEqual({
      '/a/': 'folder 755',
      '/b': '644 new',
      '/d/': 'folder 755',
      '/e': '644 x',
    });
    expect(await treeOf(first, [symlink('b', 'a'), hardLink('d', 'a')])).toEqual({
      '/a': '644 old',
      '/b': '-> a',
      '/d': '644 old',
      '/e/': 'folder 755',
    });
  });

  test('that is a folder over a folder keeps what is in it', async () => {
    expect(await treeOf([folder('a'), file('a/b')], [folder('a', 0o700)])).toEqual({
      '/a/': 'folder 700',
      '/a/b': '644 x',
    });
  });

  test('below a link goes where the link leads', async () => {
    const layers = [[folder('usr/bin'), symlink('bin', 'usr/bin')], [file('bin/sh')]];
    expect(await treeOf(...layers)).toMatchObject({ '/bin': '-> usr/bin', '/usr/bin/sh': '644 x' });
  });

  test('below a file is refused', async () => {
    await expect(treeOf([file('a'), file('a/b')])).rejects.toThrow(
      'entry "a/b": /a is in the way: it is not a folder',
    );
  });
});

describe('a hard link', () => {
  test('names the same file, even one of a lower layer', async () => {
    const { root } = await unpacked([[file('a'), hardLink('b', 'a')], [hardLink('/c', '/a')]]);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => statSync(path.join(root, name)));
    expect(a).toMatchObject({ ino: b?.ino, nlink: 3 });
    expect(c).toMatchObject({ ino: a?.ino });
  });

  test('keeps the content that it was made with when the other name is replaced', async () => {
    const layers = [[file('a', 'old'), hardLink('b', 'a')], [file('a', 'new')]];
    expect(await treeOf(...layers)).toEqual({ '/a': '644 new', '/b': '644 old' });
  });

  test('to itself changes nothing', async () => {
    expect(await treeOf([file('a'), hardLink('a', './a')])).toEqual({ '/a': '644 x' });
  });

  test.each([
    ['missing', 'it links to /missing, which is not in the image'],
    ['no/such', 'it links to /no/such, which is not in the image'],
    ['folder', 'it links to /folder, which is not a file'],
    ['/', 'it links to /, which is not a file'],
  ])('to %s is refused', async (target, reason) => {
    await expect(treeOf([folder('folder'), hardLink('a', target)])).rejects.toThrow(
      `entry "a": ${reason}`,
    );
  });
});

describe('a whiteout', () => {
  const lower = [folder('d'), file('d/a'), file('d/b'), folder('d/s'), file('d/s/c'), file('e')];

  test('removes what lower layers had', async () => {
    expect(
      await treeOf(lower, [file('d/.wh.a', ''), file('d/.wh.s', ''), file('.wh.e', '')]),
    ).toEqual({ '/d/': 'folder 755', '/d/b': '644 x' });
  });

  test('of a missing path changes nothing', async () => {
    expect(await treeOf([file('.wh.a'), file('x/y/.wh.a'), file('x/.wh..wh..opq')])).toEqual({});
  });

  test('that is opaque removes all that lower layers had in its folder', async () => {
    expect(await treeOf(lower, [file('d/.wh..wh..opq', '')])).toEqual({
      '/d/': 'folder 755',
      '/e': '644 x',
    });
  });

  const own = [folder('d/s', 0o700), file('d/s/new'), file('d/a', 'new')];
  const expected = {
    '/d/': 'folder 755',
    '/d/a': '644 new',
    '/d/s/': 'folder 700',
    '/d/s/new': '644 x',
    '/e': '644 x',
  };

  test.each([
    ['first', [file('d/.wh..wh..opq', ''), ...own]],
    ['last', [...own, file('d/.wh..wh..opq', '')]],
    ['in between', [...own.slice(0, 1), file('d/.wh..wh..opq', ''), ...own.slice(1)]],
  ])('that is opaque and stands %s leaves what its own layer has', async (_where, layer) => {
    expect(await treeOf(lower, layer)).toEqual(expected);
  });

  test('leaves what its own layer has at its path', async () => {
    const layer = [...own, file('d/.wh.a', ''), file('d/.wh.s', ''), file('d/.wh.b', '')];
    expect(await treeOf(lower, layer)).toEqual(expected);
  });

  test('below a link takes effect where the link leads, inside of the image', async () => {
    const layers = [
      [...lower, symlink('l', '/d')],
      [file('l/.wh.a', '')],
      [file('l/.wh..wh..opq')],
    ];
    expect(await treeOf(...layers)).toEqual({
      '/d/': 'folder 755',
      '/e': '644 x',
      '/l': '-> /d',
    });
  });
});

describe('modes', () => {
  const layer = [
    { ...file('setuid'), mode: 0o6755, uid: 7, gid: 8 },
    { ...folder('sticky', 0o3777), uid: 7, gid: 8 },
    { ...folder('closed', 0) },
    file('closed/x'),
    { ...symlink('link', 'setuid'), uid: 7, gid: 8 },
    hardLink('again', 'setuid'),
  ];

  test.runIf(IS_ROOT)('and owners of root are those of the archive', async () => {
    const { root } = await unpacked([layer], { isRoot: true });
    const look = (name: string): readonly number[] => {
      const { mode, uid, gid } = lstatSync(path.join(root, name));
      return [mode & 0o7777, uid, gid];
    };
    expect(look('setuid')).toEqual([0o6755, 7, 8]);
    expect(look('again')).toEqual([0o6755, 7, 8]);
    expect(look('sticky')).toEqual([0o3777, 7, 8]);
    expect(look('closed')).toEqual([0, 0, 0]);
    expect(look('link').slice(1)).toEqual([7, 8]);
  });

  test('of an ordinary user leave folders open for that user', async () => {
    expect((await unpacked([layer])).tree()).toMatchObject({
      '/setuid': '755 x',
      '/sticky/': 'folder 1777',
      '/closed/': 'folder 700',
      '/closed/x': '644 x',
    });
  });

  test('extended attributes are left out and counted', async () => {
    const pax = { 'SCHILY.xattr.security.capability': 'x' };
    expect((await unpacked([[{ ...file('ping'), pax }]])).leftOut).toMatchObject({ xattr: 1 });
  });
});

describe('a damaged archive', () => {
  const whole = tarOf([file('a', 'x'.repeat(2000)), file('b')]);
  const damaged = Buffer.from(whole);
  damaged.write('z', 2560);

  test.each<readonly [string, Uint8Array, string]>([
    ['that is cut off in a file', whole.subarray(0, 1024), 'truncated'],
    ['that is cut off in a header', whole.subarray(0, 3000), 'truncated'],
    ['that has no end', whole.subarray(0, -1024), 'truncated'],
    ['that is empty', Buffer.of(), 'truncated'],
    ['whose header has another checksum', damaged, 'Invalid tar header checksum'],
    ['that is no archive', Buffer.alloc(2048, 'x'), 'Invalid tar'],
    ['that is cut off in its gzip', gzipSync(whole).subarray(0, -20), 'unexpected end of file'],
    ['that is no gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 'compression'],
    ['that goes on after its gzip', Buffer.concat([gzipSync(whole), Buffer.alloc(9)]), 'goes on'],
  ])('%s is refused', async (_what, archive, reason) => {
    await expect(unpacked([archive])).rejects.toThrow(
      new RegExp(`^layer sha256:[0-9a-f]{64}: .*${reason}`),
    );
  });

  test('with a name that is no UTF-8 is refused', async () => {
    const name = Buffer.from([0x61, 0xff, 0xfe]);
    await expect(unpacked([[{ name, content: 'x' }]])).rejects.toThrow('its name is not UTF-8');
  });
});

describe('limits', () => {
  test('a file that is declared larger than the disk is refused before it is written', async () => {
    const layer = tarOf([{ name: 'huge', declaredBytes: 2 ** 41 }]);
    const harness = new LayerHarness(makeTempFolder());
    await expect(harness.unpack(layer)).rejects.toThrow('entry "huge": the disk is too full');
    expect(harness.tree()).toEqual({ '/': 'folder 755' });
  });

  test('what stays free on the disk is not used', async () => {
    const options = { freeBytes: 1_000_000, limits: { reserveBytes: 990_000 } };
    const [small, large] = [file('a', 'x'.repeat(8000)), file('b', 'x'.repeat(9000))];
    await unpacked([[small]], options);
    await expect(unpacked([[small, large]], options)).rejects.toThrow(
      'entry "b": the disk is too full: it takes 9000 bytes, and 10000 can be used',
    );
  });

  test('entries are limited, over all layers', async () => {
    const options = { limits: { entriesMax: 3 } };
    await unpacked([[file('a'), file('b')], [file('c')]], options);
    await expect(
      unpacked(
        [
          [file('a'), file('b')],
          [file('c'), file('d')],
        ],
        options,
      ),
    ).rejects.toThrow('entry "d": the layers have more than 3 entries');
  });

  test('unpacked bytes are limited, even of what is not written', async () => {
    const layer = gzipSync(tarOf([{ name: '.wh.a', content: Buffer.alloc(LARGE_BYTES) }]));
    await unpacked([layer], { limits: { unpackedBytesMax: LARGE_BYTES + 4096 } });
    await expect(unpacked([layer], { limits: { unpackedBytesMax: 2_000_000 } })).rejects.toThrow(
      'the layers unpack to more than 2000000 bytes',
    );
  });
});
