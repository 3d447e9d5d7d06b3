/** Images of attackers: OCI layouts whose layers try to reach outside of the image. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { makeSmallRoot } from '../../e2e/pods/small-root.ts';
import type { Canaries } from '../harness/canaries.ts';
import { tarOf, writeLayout, type TarEntry } from '../harness/oci-layout.ts';

export interface HostileImage {
  readonly name: string;
  readonly tries: string;
  /** Each a list of entries, which try to make `made` in `home` or to change `mark`; they lie above a small root that has a shell. */
  readonly layers: (home: string, mark: string, made: string) => readonly (readonly TarEntry[])[];
  readonly config?: JsonObject;
}

const link = (name: string, to: string): TarEntry => ({ name, kind: 'link', to });
const file = (name: string, content = 'changed\n'): TarEntry => ({ name, kind: 'file', content });
const UP = '../../../../../../../../../../..';

/** A folder of the base is removed by one layer and is a link in the next. */
const replaced = (name: string): HostileImage => ({
  name: `link-for-${name}`,
  tries: `The image has a link to a folder of the machine where /${name} should be.`,
  layers: (home) => [[file(`.wh.${name}`, '')], [link(name, home)]],
});

export const HOSTILE_IMAGES: readonly HostileImage[] = [
  {
    name: 'dots',
    tries: 'A layer has a file whose name goes up from the root of the image.',
    layers: (home, _mark, made) => [[file(`${UP}${home}/${made}`)]],
  },
  {
    name: 'dots-inside',
    tries: 'A layer has a file whose name goes up from a folder of the image.',
    layers: (home, _mark, made) => [
      [{ name: 'bin/', kind: 'folder' }, file(`bin/${UP}${home}/${made}`)],
    ],
  },
  {
    name: 'absolute',
    tries: 'A layer has a file with an absolute name.',
    layers: (_home, mark) => [[file(mark)]],
  },
  {
    name: 'link-same-layer',
    tries: 'A layer writes through a link of its own.',
    layers: (home, _mark, made) => [[link('link', home), file(`link/${made}`)]],
  },
  {
    name: 'link-earlier-layer',
    tries: 'A layer writes through a link that an earlier layer has made.',
    layers: (home, _mark, made) => [[link('link', home)], [file(`link/${made}`)]],
  },
  {
    name: 'link-earlier-layer-mark',
    tries: 'A layer replaces a file of the machine through a link of an earlier layer.',
    layers: (_home, mark) => [
      [link('link', path.dirname(mark))],
      [file(`link/${path.basename(mark)}`)],
    ],
  },
  {
    name: 'link-relative',
    tries: 'A layer writes through a relative link of an earlier layer.',
    layers: (home, _mark, made) => [[link('link', `${UP}${home}`)], [file(`link/${made}`)]],
  },
  {
    name: 'link-chain',
    tries: 'A layer writes through a chain of links.',
    layers: (home, _mark, made) => [
      [link('a', 'b'), link('b', './c'), link('c', home)],
      [file(`a/${made}`)],
    ],
  },
  {
    name: 'link-nested',
    tries: 'A layer makes folders through a link in a folder of an earlier layer.',
    layers: (home, _mark, made) => [
      [{ name: 'd/', kind: 'folder' }, link('d/link', home)],
      [{ name: `d/link/${made}/`, kind: 'folder' }, file(`d/link/${made}/file`)],
    ],
  },
  {
    name: 'folder-becomes-link',
    tries: 'A layer replaces a folder by a link, and the next writes through it.',
    layers: (home, _mark, made) => [
      [{ name: 'd/', kind: 'folder' }, file('d/file')],
      [file('.wh.d', ''), link('d', home)],
      [file(`d/${made}`)],
    ],
  },
  {
    name: 'link-proc',
    tries: 'A layer writes through a link to /proc/self/root.',
    layers: (home, _mark, made) => [
      [link('link', '/proc/self/root')],
      [file(`link${home}/${made}`)],
    ],
  },
  {
    name: 'hard-link',
    tries: 'A layer has a hard link to a secret file of the machine.',
    layers: (home) => [[{ name: 'found', kind: 'hardLink', to: `${home}/secret` }]],
  },
  {
    name: 'hard-link-dots',
    tries: 'A layer has a hard link to a secret file, by a name that goes up.',
    layers: (home) => [[{ name: 'found', kind: 'hardLink', to: `${UP}${home}/secret` }]],
  },
  {
    name: 'hard-link-through-link',
    tries: 'A layer has a hard link to a secret file through a link of an earlier layer.',
    layers: (home) => [
      [link('link', home)],
      [{ name: 'found', kind: 'hardLink', to: 'link/secret' }],
    ],
  },
  {
    name: 'hard-link-overwritten',
    tries: 'A layer overwrites a hard link to a file of the machine.',
    layers: (_home, mark) => [
      [link('link', path.dirname(mark))],
      [{ name: 'hard', kind: 'hardLink', to: `link/${path.basename(mark)}` }],
      [file('hard')],
    ],
  },
  {
    name: 'whiteout-through-link',
    tries: 'A whiteout removes a file of the machine through a link.',
    layers: (_home, mark) => [
      [link('link', path.dirname(mark))],
      [file(`link/.wh.${path.basename(mark)}`, '')],
    ],
  },
  {
    name: 'whiteout-dots',
    tries: 'A whiteout removes a file of the machine by a name that goes up.',
    layers: (_home, mark) => [
      [file(`${UP}${path.dirname(mark)}/.wh.${path.basename(mark)}`, '')],
      [file('.wh...', '')],
    ],
  },
  {
    name: 'opaque-through-link',
    tries: 'An opaque whiteout empties a folder of the machine through a link.',
    layers: (home) => [[link('link', `${home}/full`)], [file('link/.wh..wh..opq', '')]],
  },
  {
    name: 'devices',
    tries: 'A layer has device nodes of disks and of the memory.',
    layers: () => [
      [
        { name: 'disk', kind: 'block', device: [254, 0], mode: 0o666 },
        { name: 'disk-sd', kind: 'block', device: [8, 0], mode: 0o666 },
        { name: 'mem', kind: 'char', device: [1, 1], mode: 0o666 },
        { name: 'kmsg', kind: 'char', device: [1, 11], mode: 0o666 },
        { name: 'fuse', kind: 'char', device: [10, 229], mode: 0o666 },
      ],
    ],
  },
  ...['proc', 'sys', 'dev', 'etc', 'tmp'].map(replaced),
  {
    name: 'host-name-link',
    tries: 'The image has a link to a file of the machine where podkeep writes the host name.',
    layers: (_home, mark) => [[{ name: 'etc/', kind: 'folder' }, link('etc/hostname', mark)]],
  },
  {
    name: 'working-dir',
    tries: 'The image names /proc/self/cwd as its working directory.',
    layers: () => [],
    config: { WorkingDir: '/proc/self/cwd' },
  },
  {
    name: 'working-dir-link',
    tries: 'The working directory of the image is a link out of it.',
    layers: () => [[link('out', '/proc/self/cwd')]],
    config: { WorkingDir: '/out' },
  },
];

/** The name, in the home of the trusted user, of what an image tries to make there. */
export function madeBy(name: string): string {
  return `made-l-${name}`;
}

/** Writes all of them below a folder; what `images` of the configuration says of them. */
export function hostileImages(folder: string, canaries: Canaries): JsonObject {
  const layouts = path.join(folder, 'layouts');
  const root = path.join(layouts, 'root');
  mkdirSync(root, { recursive: true });
  makeSmallRoot(root);
  const base = path.join(layouts, 'base.tar');
  execFileSync('tar', ['-C', root, '--numeric-owner', '-cf', base, '.']);
  const baseLayer = readFileSync(base);
  const images = HOSTILE_IMAGES.map(({ name, layers, config = {} }) => {
    const mark = canaries.mark(`layers/${name}`);
    const place = path.join(layouts, name);
    writeLayout(
      place,
      [baseLayer, ...layers(canaries.home, mark, madeBy(name)).map(tarOf)],
      config,
    );
    return [`attack/${name}`, { ociLayout: place }] as const;
  });
  chmodSync(layouts, 0o755);
  return Object.fromEntries(images);
}
