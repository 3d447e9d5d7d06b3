/**
 * Lets every step of a write fail, and the process die at every step, in real folders.
 *
 * Each time the next start must read the old state or the new one, in full, and the same that the store
 * returns from memory.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LARGE, podOf, SMALL } from '../../../test/suites/state-store.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import { openCheckpointStateStore } from './checkpoint-state-store.ts';
import { nodeFileSystem, type FileSystem, type NewFile } from './file-system.ts';

type Step = keyof FileSystem | 'write' | 'sync' | 'close';

/** Called before each step. It may throw, or never resolve. */
type Script = (step: Step) => Promise<void>;

const BEFORE_RENAME = ['makeFolder', 'createFile', 'write', 'sync', 'close', 'rename'] as const;
const OLD = podOf({ main: SMALL });
const NEW = podOf({ main: LARGE });
const NAME = 'allocated_pods_state';

let folder: string;
let script: Script;
let store: StateStore;
/** Files that the dead process left open. */
const opened = new Set<NewFile>();

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'podkeep-faults-'));
  script = async () => {};
  store = await openCheckpointStateStore({ folder, name: NAME, fileSystem: scripted() });
  await store.setPodResources('pod', OLD);
});

afterEach(async () => {
  for (const file of opened) await file.close();
  opened.clear();
  await rm(folder, { recursive: true });
});

/** The real file system, with the script before each of its steps. */
function scripted(): FileSystem {
  const before = <Args extends unknown[], Result>(
    step: Step,
    work: (...args: Args) => Promise<Result>,
  ) => {
    return async (...args: Args): Promise<Result> => {
      await script(step);
      return work(...args);
    };
  };
  return {
    makeFolder: before('makeFolder', (name: string) => nodeFileSystem.makeFolder(name)),
    listFolder: before('listFolder', (name: string) => nodeFileSystem.listFolder(name)),
    syncFolder: before('syncFolder', (name: string) => nodeFileSystem.syncFolder(name)),
    readFile: before('readFile', (name: string) => nodeFileSystem.readFile(name)),
    rename: before('rename', (from: string, to: string) => nodeFileSystem.rename(from, to)),
    removeFile: before('removeFile', (name: string) => nodeFileSystem.removeFile(name)),
    createFile: before('createFile', async (file: string) => {
      const created = await nodeFileSystem.createFile(file);
      opened.add(created);
      return {
        write: async (content) => {
          // A disk that fills up writes a part of it first.
          await created.write(content.subarray(0, content.length / 2));
          await script('write');
          await created.write(content.subarray(content.length / 2));
        },
        sync: before('sync', () => created.sync()),
        close: async () => {
          opened.delete(created);
          await created.close();
          await script('close');
        },
      };
    }),
  };
}

function failingAt(...steps: readonly Step[]): Script {
  return async (step) => {
    if (steps.includes(step)) throw diskFull(step);
  };
}

function diskFull(step: Step): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${step}`), { code: 'ENOSPC' });
}

async function restarted(): Promise<StateStore> {
  return openCheckpointStateStore({ folder, name: NAME });
}

async function refusalOf(change: Promise<void>): Promise<PodkeepError> {
  const error: unknown = await change.then(
    () => expect.fail('the change was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PodkeepError)) throw error;
  return error;
}

describe.each(BEFORE_RENAME)('if %s fails', (step) => {
  test('the change is refused, and memory and disk both keep the old state', async () => {
    const before = await readFile(path.join(folder, NAME));
    script = failingAt(step);
    const refusal = await refusalOf(store.setPodResources('pod', NEW));
    expect(refusal).toMatchObject({ code: 'CHECKPOINT_NOT_WRITTEN', retry: 'backoff' });
    expect(refusal.message).toContain(path.join(folder, NAME));
    expect(refusal.message).toContain(`ENOSPC: no space left on device, ${step}`);
    expect(refusal.hint).toMatch(/free space/);
    expect(refusal.cause).toEqual(diskFull(step));

    expect(store.podResources('pod')).toEqual(OLD);
    expect(await readFile(path.join(folder, NAME))).toEqual(before);
    expect(await readdir(folder)).toEqual([NAME]);
    expect((await restarted()).all()).toEqual(store.all());
  });

  test('all callers of the batch get the error, and the next change succeeds', async () => {
    script = failingAt(step);
    const changes = [
      store.setPodResources('pod', NEW),
      store.removePod('pod'),
      store.setContainerResources('other', 'main', SMALL),
      store.clear(),
    ];
    for (const change of changes) {
      expect((await refusalOf(change)).code).toBe('CHECKPOINT_NOT_WRITTEN');
    }
    script = async () => {};
    await store.setContainerResources('third', 'main', LARGE);
    expect([...store.all().keys()]).toEqual(['pod', 'third']);
    expect(store.podResources('pod')).toEqual(OLD);
    expect((await restarted()).all()).toEqual(store.all());
  });

  test('a change without an effect needs no disk and is not refused', async () => {
    script = failingAt(step);
    await refusalOf(store.clear());
    await store.setPodResources('pod', OLD);
    await store.removePod('unknown');
    expect(store.podResources('pod')).toEqual(OLD);
  });
});

describe('if the folder cannot be synced', () => {
  test('the new state counts in memory and on disk, and the caller gets CHECKPOINT_NOT_DURABLE', async () => {
    script = failingAt('syncFolder');
    const refusal = await refusalOf(store.setPodResources('pod', NEW));
    expect(refusal).toMatchObject({ code: 'CHECKPOINT_NOT_DURABLE', retry: 'backoff' });
    expect(refusal.message).toContain(path.join(folder, NAME));
    expect(refusal.cause).toEqual(diskFull('syncFolder'));
    expect(store.podResources('pod')).toEqual(NEW);
    expect((await restarted()).all()).toEqual(store.all());
    expect(await readdir(folder)).toEqual([NAME]);
  });

  test('a repeated call resolves only when the state is durable', async () => {
    script = failingAt('syncFolder');
    await refusalOf(store.setPodResources('pod', NEW));
    expect((await refusalOf(store.setPodResources('pod', NEW))).code).toBe(
      'CHECKPOINT_NOT_DURABLE',
    );
    const steps: Step[] = [];
    script = async (step) => void steps.push(step);
    await store.setPodResources('pod', NEW);
    expect(steps).toContain('syncFolder');
    steps.length = 0;
    await store.setPodResources('pod', NEW);
    expect(steps).toEqual([]);
  });

  test('a later write that fails completely leaves the state not durable', async () => {
    script = failingAt('syncFolder');
    await refusalOf(store.setPodResources('pod', NEW));
    script = failingAt('write');
    expect((await refusalOf(store.setPodResources('pod', OLD))).code).toBe(
      'CHECKPOINT_NOT_WRITTEN',
    );
    expect(store.podResources('pod')).toEqual(NEW);
    expect((await refusalOf(store.setPodResources('pod', NEW))).code).toBe(
      'CHECKPOINT_NOT_WRITTEN',
    );
    expect((await restarted()).all()).toEqual(store.all());
  });
});

describe('if cleaning up fails as well', () => {
  test('both failures are reported, and the next start removes the remains', async () => {
    script = failingAt('sync', 'removeFile');
    const refusal = await refusalOf(store.setPodResources('pod', NEW));
    expect(refusal.message).toContain('device, sync, and after that: ENOSPC');
    expect(refusal.cause).toMatchObject({ errors: [diskFull('sync'), diskFull('removeFile')] });
    expect(await readdir(folder)).toHaveLength(2);
    expect((await restarted()).podResources('pod')).toEqual(OLD);
    expect(await readdir(folder)).toEqual([NAME]);
  });

  test('the remains do not block the next change', async () => {
    script = failingAt('rename', 'removeFile');
    await refusalOf(store.setPodResources('pod', NEW));
    script = async () => {};
    await store.setPodResources('pod', NEW);
    expect((await restarted()).podResources('pod')).toEqual(NEW);
  });

  test('a file that cannot be closed after a failed write is removed all the same', async () => {
    script = failingAt('write', 'close');
    const refusal = await refusalOf(store.setPodResources('pod', NEW));
    expect(refusal.cause).toMatchObject({ errors: [diskFull('write'), diskFull('close')] });
    expect(await readdir(folder)).toEqual([NAME]);
  });
});

describe.each([...BEFORE_RENAME, 'syncFolder'] as const)('if the process dies at %s', (step) => {
  test('the next start reads one of the two states in full, and cleans up', async () => {
    let die = (): void => {};
    const death = new Promise<void>((resolve) => (die = resolve));
    let isDead = false;
    script = async (reached) => {
      isDead ||= reached === step;
      if (!isDead) return;
      die();
      await new Promise(() => {}); // a dead process takes no further step
    };
    void store.setPodResources('pod', NEW);
    await death;
    const state = (await restarted()).podResources('pod');
    expect(state).toEqual(step === 'syncFolder' ? NEW : OLD);
    expect(await readdir(folder)).toEqual([NAME]);
  });
});

describe('at the start', () => {
  const start = (): Promise<StateStore> =>
    openCheckpointStateStore({ folder, name: NAME, fileSystem: scripted() });

  test('a file that cannot be read is an error that names it, and stays (KL-98)', async () => {
    script = failingAt('readFile');
    await expect(start()).rejects.toMatchObject({
      code: 'CHECKPOINT_UNUSABLE',
      message: expect.stringContaining(path.join(folder, NAME)),
      hint: expect.stringMatching(/drain this node/),
      cause: diskFull('readFile'),
    });
    expect((await restarted()).podResources('pod')).toEqual(OLD);
  });

  test.each(['makeFolder', 'listFolder', 'syncFolder'] as const)(
    'a folder whose %s fails is an error that names it',
    async (step) => {
      script = failingAt(step);
      await expect(start()).rejects.toMatchObject({
        code: 'CHECKPOINT_FOLDER_UNUSABLE',
        message: expect.stringContaining(folder),
        cause: diskFull(step),
      });
    },
  );
});
