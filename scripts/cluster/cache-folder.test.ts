import { homedir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder, clusterFolder, programPath } from './cache-folder.ts';

test('the cache is where PODKEEP_CACHE says', () => {
  expect(cacheFolder({ PODKEEP_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
});

test('otherwise it is among the caches of the user', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/podkeep');
  expect(cacheFolder({})).toBe(path.join(homedir(), '.cache/podkeep'));
});

test('a relative cache folder is ignored', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: 'b' })).toBe(path.join(homedir(), '.cache/podkeep'));
});

test('programs of different versions have different folders', () => {
  expect(clusterFolder({ PODKEEP_CACHE: '/a' })).toBe('/a/cluster/v1.36.4');
  expect(programPath('kubectl', { PODKEEP_CACHE: '/a' })).toBe('/a/cluster/v1.36.4/kubectl');
});
