import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import type { Machine } from './machine.ts';
import { decideUser, homeOf, type UserRequest } from './user.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'podkeep-user-'));
  mkdirSync(path.join(root, 'etc'));
  writeFileSync(path.join(root, 'etc/passwd'), 'app:x:500:501::/home/app:/bin/sh\n');
  writeFileSync(path.join(root, 'etc/group'), 'staff:x:700:\n');
});

afterAll(() => rmSync(root, { recursive: true }));

const machine = (uid: number, isolation: Machine['isolation']): Machine => ({
  isLinux: true,
  uid,
  gid: uid,
  bootId: 'x',
  tools: {},
  isolation,
  hasLayers: true,
  hasProcesses: true,
  helper: undefined,
  mapsUsers: false,
  mapsTree: false,
  obstacle: '',
});

function decide(changes: Partial<UserRequest>, security: object = {}) {
  const config = { name: 'main', security: { supplementalGroups: [5], ...security } };
  return decideUser({
    config: config as unknown as ContainerConfig,
    machine: machine(0, 'root'),
    root,
    imageUser: '',
    defaultUser: { uid: 65_534, gid: 65_534 },
    ...changes,
  });
}

describe('when podkeep is root', () => {
  test('a container without a user runs as the unprivileged default', () => {
    expect(decide({})).toEqual({ uid: 65_534, gid: 65_534, groups: [5] });
  });

  test.each([
    ['app', 500, 501],
    ['500', 500, 501],
    ['app:staff', 500, 700],
    ['1234', 1234, 0],
    ['1234:99', 1234, 99],
  ])('an image that asks for %s gets it', (imageUser, uid, gid) => {
    expect(decide({ imageUser })).toMatchObject({ uid, gid });
  });

  test('the spec takes precedence', () => {
    expect(decide({ imageUser: 'app' }, { runAsUser: 0, runAsGroup: 0 })).toMatchObject({
      uid: 0,
      gid: 0,
    });
    expect(decide({}, { runAsUser: 500 })).toMatchObject({ uid: 500, gid: 501 });
  });

  test('a user that the image does not have is named', () => {
    expect(() => decide({ imageUser: 'ghost' })).toThrow(/cannot run as ghost/);
  });
});

test('in a user namespace every UID works, but no supplemental groups', () => {
  const user = machine(1000, 'user');
  expect(decide({ machine: user })).toEqual({ uid: 1000, gid: 1000, groups: [] });
  expect(decide({ machine: user }, { runAsUser: 42 })).toMatchObject({ uid: 42 });
});

test('without namespaces only this user works', () => {
  const plain = machine(1000, 'none');
  expect(decide({ machine: plain })).toMatchObject({ uid: 1000, gid: 1000 });
  expect(() => decide({ machine: plain }, { runAsUser: 42 })).toThrow(/cannot run as user 42/);
  expect(() => decide({ machine: plain }, { runAsGroup: 42 })).toThrow(/cannot run as group 42/);
});

test('home is the one of the account, or the root', () => {
  expect(homeOf(root, 500)).toBe('/home/app');
  expect(homeOf(root, 9)).toBe('/');
});
