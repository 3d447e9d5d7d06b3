import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { locateDataFolder, makeDataFolder } from './data-folder.ts';

test('data of this user go where XDG says, and else below the home folder', () => {
  const home = { HOME: '/home/ann' };
  expect(locateDataFolder(undefined, { ...home, XDG_DATA_HOME: '/data' }).root).toBe(
    '/data/podkeep',
  );
  expect(locateDataFolder(undefined, home).root).toBe('/home/ann/.local/share/podkeep');
  // XDG asks to ignore paths that are not absolute.
  expect(locateDataFolder(undefined, { ...home, XDG_DATA_HOME: 'data' }).root).toBe(
    '/home/ann/.local/share/podkeep',
  );
});

test('a folder that is named needs no home folder', () => {
  expect(locateDataFolder('/data/x', {})).toEqual({
    root: '/data/x',
    store: '/data/x/store',
    pki: '/data/x/pki',
    kubeconfig: '/data/x/kubeconfig',
    node: '/data/x/node',
    nodes: '/data/x/nodes',
    nodeRecord: '/data/x/nodes.json',
    certificates: '/data/x/certificates',
  });
  expect(locateDataFolder('x', {}).root).toBe(path.resolve('x'));
});

test('without a home the hint says what to do', () => {
  expect(() => locateDataFolder(undefined, {})).toThrow(
    expect.objectContaining({
      code: 'HOME_UNKNOWN',
      hint: expect.stringContaining('--data-dir'),
    }),
  );
});

test('the folder is created for its owner alone; an existing one stays as it is', () => {
  const folder = locateDataFolder(path.join(makeTempFolder(), 'a', 'b'), {});
  makeDataFolder(folder);
  expect(statSync(folder.root).mode & 0o777).toBe(0o700);
  chmodSync(folder.root, 0o750);
  makeDataFolder(folder);
  expect(statSync(folder.root).mode & 0o777).toBe(0o750);
});

test('a folder that cannot be one is named', () => {
  const file = path.join(makeTempFolder(), 'file');
  writeFileSync(file, '');
  for (const root of [file, path.join(file, 'below')]) {
    expect(() => makeDataFolder(locateDataFolder(root, {}))).toThrow(
      expect.objectContaining({
        code: 'DATA_FOLDER_UNUSABLE',
        message: expect.stringContaining(root),
        hint: expect.stringContaining('--data-dir'),
      }),
    );
  }
});

test('a folder that others may write, or that holds keys which others may write, is refused', () => {
  const folder = locateDataFolder(path.join(makeTempFolder(), 'data'), {});
  makeDataFolder(folder);
  mkdirSync(folder.pki);
  for (const each of [folder.root, folder.pki]) {
    chmodSync(each, 0o777);
    expect(() => makeDataFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'UNTRUSTED_FILE',
        message: `${each} is not safe to use: every user may write to it (mode 777)`,
      }),
    );
    chmodSync(each, 0o700);
  }
  expect(() => makeDataFolder(folder)).not.toThrow();
});
