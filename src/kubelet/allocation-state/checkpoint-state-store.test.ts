import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LARGE, podOf, SMALL, stateStoreSuite } from '../../../test/suites/state-store.ts';
import { InvariantError } from '../../lib/assert.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import {
  ACTUATED_PODS_STATE,
  ALLOCATED_PODS_STATE,
  openCheckpointStateStore,
} from './checkpoint-state-store.ts';
import { nodeFileSystem, type FileSystem } from './file-system.ts';

let root: string;
let folder: string;
let file: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'podkeep-state-'));
  folder = path.join(root, 'kubelet');
  file = path.join(folder, ALLOCATED_PODS_STATE);
});

afterEach(() => rm(root, { recursive: true }));

const open = (name = ALLOCATED_PODS_STATE): Promise<StateStore> =>
  openCheckpointStateStore({ folder, name });

stateStoreSuite({
  name: 'checkpoint',
  open: async () => ({ store: await open(), close: async () => {} }),
  histories: 10,
});

describe('a restart', () => {
  test('finds everything as it was', async () => {
    const store = await open();
    await store.setPodResources('a', podOf({ main: SMALL }, LARGE));
    await store.setContainerResources('__proto__', 'constructor', { requests: { cpu: '0.50' } });
    const restarted = await open();
    expect(restarted.all()).toEqual(store.all());
    expect(restarted.containerResources('__proto__', 'constructor')?.requests?.['cpu']).toBe(
      '0.50',
    );
  });

  test('finds nothing where there was no file, and writes none (KL-98)', async () => {
    expect((await open()).all()).toEqual(new Map());
    expect(await readdir(folder)).toEqual([]);
  });

  test('does not bring back what was removed (unlike KL-99)', async () => {
    const store = await open();
    for (const uid of ['a', 'b', 'c']) await store.setContainerResources(uid, 'main', SMALL);
    await store.removePod('a');
    expect([...(await open()).all().keys()]).toEqual(['b', 'c']);
    await store.removeOrphanedPods(new Set(['c']));
    expect([...(await open()).all().keys()]).toEqual(['c']);
    await store.clear();
    expect((await open()).all()).toEqual(new Map());
  });

  test.each(suffixes())(
    'reads the amount %s as it was written (Test_stateCheckpoint_storeState)',
    async (amount) => {
      const resources = { requests: { cpu: amount, memory: amount } };
      const store = await open();
      await store.setPodResources('pod1', podOf({ container1: resources }, resources));
      const before = await readFile(file, 'utf8');
      expect((await open()).podResources('pod1')).toEqual(
        podOf({ container1: resources }, resources),
      );

      await rm(file);
      await store.setPodResources('pod1', podOf({ container1: resources }, resources));
      expect(await readdir(folder)).toEqual([]);
      await store.setPodLevelResources('pod2', SMALL);
      expect(await readFile(file, 'utf8')).not.toBe(before);
    },
  );
});

describe('the files', () => {
  test('are for the owner only, in a folder that all may see (KL-95)', async () => {
    await (await open()).setContainerResources('a', 'main', SMALL);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o755 & ~process.umask());
    expect(await readdir(folder)).toEqual([ALLOCATED_PODS_STATE]);
  });

  test('of the two stores of a kubelet are side by side (E-3, E-4)', async () => {
    const [allocated, actuated] = await Promise.all([open(), open(ACTUATED_PODS_STATE)]);
    await Promise.all([
      allocated.setContainerResources('a', 'main', LARGE),
      actuated.setContainerResources('a', 'main', SMALL),
    ]);
    expect((await open()).containerResources('a', 'main')).toEqual(LARGE);
    expect((await open(ACTUATED_PODS_STATE)).containerResources('a', 'main')).toEqual(SMALL);
  });

  test('come back with the next change if the folder is deleted', async () => {
    const store = await open();
    await store.setContainerResources('a', 'main', SMALL);
    await rm(folder, { recursive: true });
    await store.setContainerResources('b', 'main', SMALL);
    expect([...(await open()).all().keys()]).toEqual(['a', 'b']);
  });

  test('that a crash left half-written are removed at the next start, and no others', async () => {
    await (await open()).setContainerResources('a', 'main', SMALL);
    const others = [`.${ACTUATED_PODS_STATE}.1-1`, '.123456789', `.${ALLOCATED_PODS_STATE}.bak`];
    const left = [`.${ALLOCATED_PODS_STATE}.1-1`, `.${ALLOCATED_PODS_STATE}.4711-23`];
    for (const name of [...others, ...left]) await writeFile(path.join(folder, name), '{"da');
    expect((await open()).all().size).toBe(1);
    expect(await readdir(folder)).toEqual([...others, ALLOCATED_PODS_STATE].toSorted());
  });

  test('are not written through a link in their place', async () => {
    const target = path.join(root, 'elsewhere');
    await writeFile(target, 'precious');
    const store = await open();
    await symlink(target, path.join(folder, `.${ALLOCATED_PODS_STATE}.${process.pid}-1`));
    await expect(store.setContainerResources('a', 'main', SMALL)).rejects.toMatchObject({
      code: 'CHECKPOINT_NOT_WRITTEN',
    });
    await store.setContainerResources('a', 'main', SMALL);
    expect(await readFile(target, 'utf8')).toBe('precious');
  });

  test.each(['', '.', '..', '.hidden', 'a/b', '../a', 'a-', 'a\n', 'a'.repeat(221)])(
    'are never named %j (KL-95)',
    async (name) => {
      await expect(open(name)).rejects.toThrow(InvariantError);
    },
  );

  test('may have names as long as the file system lets a temporary one be', async () => {
    const name = 'a'.repeat(220);
    await (await open(name)).setContainerResources('a', 'main', SMALL);
    expect((await open(name)).all().size).toBe(1);
  });
});

describe('a file that cannot be used stops the start and stays as it is (KL-98)', () => {
  const CONTENTS: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['cut off', '{"data":"{\\"entries\\":{\\"pod1\\"'],
    ['not JSON', 'entries: {}'],
    ['corrupt', '{"data":"{}","checksum":1}'],
  ];

  test.each(CONTENTS)('%s', async (_name, content) => {
    await mkdir(folder);
    await writeFile(file, content);
    const stale = path.join(folder, `.${ALLOCATED_PODS_STATE}.1-1`);
    await writeFile(stale, 'evidence');
    await expect(open()).rejects.toMatchObject({
      code: 'CHECKPOINT_UNUSABLE',
      retry: 'never',
      message: expect.stringContaining(file),
      hint: expect.stringMatching(/drain this node.*delete .*allocated_pods_state/),
      cause: expect.objectContaining({ code: 'CHECKPOINT_CORRUPT' }),
    });
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await readFile(stale, 'utf8')).toBe('evidence');
  });

  test('not a file', async () => {
    await mkdir(file, { recursive: true });
    await expect(open()).rejects.toMatchObject({
      code: 'CHECKPOINT_UNUSABLE',
      message: expect.stringMatching(/allocated_pods_state: EISDIR/),
    });
  });

  test('not in a folder', async () => {
    await writeFile(folder, '');
    await expect(open()).rejects.toMatchObject({
      code: 'CHECKPOINT_FOLDER_UNUSABLE',
      message: expect.stringContaining(folder),
    });
  });
});

describe('writing', () => {
  interface Counted {
    readonly store: StateStore;
    /** How many files were created. */
    readonly writes: () => number;
    /** Resolves when the first file was created. */
    readonly begun: Promise<void>;
  }

  async function openCounting(): Promise<Counted> {
    let writes = 0;
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const createFile: FileSystem['createFile'] = (created) => {
      writes += 1;
      begin();
      return nodeFileSystem.createFile(created);
    };
    const fileSystem = { ...nodeFileSystem, createFile };
    const store = await openCheckpointStateStore({ folder, name: 'counted', fileSystem });
    return { store, writes: () => writes, begun };
  }

  test('is skipped if nothing changed (KL-99)', async () => {
    const { store, writes } = await openCounting();
    await store.setContainerResources('a', 'main', { requests: { cpu: '1' } });
    expect(writes()).toBe(1);
    await store.setContainerResources('a', 'main', { requests: { cpu: '1000m' } });
    await store.removePod('b');
    await store.removeOrphanedPods(new Set(['a']));
    expect(writes()).toBe(1);
  });

  test('happens once for all calls in the same tick', async () => {
    const { store, writes } = await openCounting();
    const uids = Array.from({ length: 30 }, (_, index) => `pod-${index}`);
    await Promise.all(uids.map((uid) => store.setContainerResources(uid, 'main', SMALL)));
    expect(writes()).toBe(1);
    expect(store.all().size).toBe(30);
  });

  test('happens once more for all calls while it is running', async () => {
    const { store, writes, begun } = await openCounting();
    const first = store.setContainerResources('first', 'main', SMALL);
    await begun;
    const rest = ['a', 'b', 'c'].map((uid) => store.setContainerResources(uid, 'main', SMALL));
    await Promise.all([first, ...rest]);
    expect(writes()).toBe(2);
    expect([...store.all().keys()]).toEqual(['first', 'a', 'b', 'c']);
  });

  test('is not waited for by a change without an effect', async () => {
    const { store, begun } = await openCounting();
    await store.setContainerResources('a', 'main', SMALL);
    const order: string[] = [];
    const other = store.setContainerResources('b', 'main', SMALL).then(() => order.push('other'));
    await begun;
    await store.setContainerResources('a', 'main', SMALL).then(() => order.push('same'));
    await other;
    expect(order).toEqual(['same', 'other']);
  });

  test('is waited for by a change that a pending one would undo', async () => {
    const { store, writes } = await openCounting();
    await store.setContainerResources('a', 'main', SMALL);
    const removal = store.removePod('a');
    await Promise.all([removal, store.setContainerResources('a', 'main', SMALL)]);
    expect(store.podResources('a')).toEqual(podOf({ main: SMALL }));
    const underWay = store.removePod('a');
    await Promise.resolve();
    await Promise.all([underWay, store.setContainerResources('a', 'main', SMALL)]);
    expect(store.podResources('a')).toEqual(podOf({ main: SMALL }));
    expect(writes()).toBe(4);
  });

  test('comes before reading: no reader sees a state that is not on disk', async () => {
    const { store, begun } = await openCounting();
    const change = store.setContainerResources('a', 'main', SMALL);
    await begun;
    expect(store.podResources('a')).toBeUndefined();
    await change;
    expect(store.podResources('a')).toEqual(podOf({ main: SMALL }));
  });
});

/** Every suffix with amounts of many forms. */
function suffixes(): readonly string[] {
  const factors = ['1', '0.1', '0.03', '10', '512', '1024', '10000'];
  const units = [
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'Ei',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    '',
  ];
  return factors.flatMap((factor) => units.map((unit) => `${factor}${unit}`));
}
