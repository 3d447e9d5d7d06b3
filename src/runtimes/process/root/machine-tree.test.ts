import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { MachineTrees } from './machine-tree.ts';

function makeMachine() {
  const base = makeTempFolder();
  const root = path.join(base, 'root');
  for (const name of ['usr/bin', 'etc/ssl/certs', 'etc/ssl/private', 'home/me', 'opt/tools']) {
    mkdirSync(path.join(root, name), { recursive: true });
  }
  symlinkSync('usr/bin', path.join(root, 'bin'));
  writeFileSync(path.join(root, 'etc/shadow'), 'secret');
  writeFileSync(path.join(root, 'etc/passwd'), 'me:x:1000:1000::/home/me:/bin/sh\n');
  writeFileSync(path.join(root, 'etc/services'), 'http 80/tcp\n');
  writeFileSync(path.join(root, 'etc/nsswitch.conf'), 'private');
  chmodSync(path.join(root, 'etc/nsswitch.conf'), 0o600);
  const folder = path.join(base, 'trees');
  const trees = (shown: readonly string[] = []): MachineTrees =>
    new MachineTrees({ folder, root, shown });
  return { root, folder, trees };
}

test('the skeleton has the machine’s links, the files of the list, and nothing else of it', () => {
  const { root, trees } = makeMachine();
  const { folder, tree } = trees().get([], 0);
  expect(readlinkSync(path.join(folder, 'bin'))).toBe('usr/bin');
  expect(readFileSync(path.join(folder, 'etc/services'), 'utf8')).toBe('http 80/tcp\n');
  expect(readFileSync(path.join(folder, 'etc/passwd'), 'utf8')).not.toContain('me:');
  for (const name of ['etc/shadow', 'etc/ssl/private', 'etc/nsswitch.conf', 'opt/tools']) {
    expect(existsSync(path.join(folder, name)), name).toBe(false);
  }
  expect(readdirSync(path.join(folder, 'home'))).toEqual([]);
  expect(lstatSync(path.join(folder, 'tmp')).mode & 0o7777).toBe(0o1777);
  expect(tree).toEqual([
    { path: path.join(root, 'usr'), isFixed: false },
    { path: path.join(root, 'etc/ssl/certs'), isFixed: true },
  ]);
});

test('a folder with mounts below it, and one that a setting names, is shown as it is', () => {
  const { root, trees } = makeMachine();
  const tools = path.join(root, 'opt/tools');
  const mounted = [{ point: path.join(root, 'usr/local'), type: 'ext4' }];
  const { folder, tree } = trees([tools]).get(mounted, 0);
  expect(tree).toContainEqual({ path: path.join(root, 'usr'), isFixed: true });
  expect(tree).toContainEqual({ path: tools, isFixed: true });
  expect(existsSync(path.join(folder, 'opt/tools'))).toBe(true);
});

test('every user of a container reaches a shown folder, even one below /root', () => {
  const { root, trees } = makeMachine();
  const tools = path.join(root, 'root/.cache/tools');
  mkdirSync(tools, { recursive: true });
  const modeOf = (folder: string): number => lstatSync(folder).mode & 0o777;
  expect(modeOf(path.join(trees().get([], 0).folder, 'root'))).toBe(0o700);
  const { folder } = trees([tools]).get([], 0);
  expect(modeOf(path.join(folder, 'root'))).toBe(0o711);
  expect(modeOf(path.join(folder, 'root/.cache'))).toBe(0o755);
});

test('the skeleton is made once, again when a file of the list changes, and old ones are swept', () => {
  const { root, folder, trees } = makeMachine();
  const own = trees();
  const first = own.get([], 0).folder;
  expect(own.get([], 10_000).folder).toBe(first);
  writeFileSync(path.join(root, 'etc/services'), 'http 80/tcp\nhttps 443/tcp\n');
  expect(own.get([], 11_000).folder).toBe(first);
  const second = own.get([], 20_000).folder;
  expect(second).not.toBe(first);
  own.sweep();
  expect(readdirSync(folder)).toEqual([path.basename(second)]);
});
