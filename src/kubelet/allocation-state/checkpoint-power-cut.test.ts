/**
 * Cuts the power at any moment, on a disk that keeps no more than it guarantees.
 *
 * The disk is a model. Content that was not synced may be lost from any byte on, and names that were made,
 * replaced or removed since the last sync of the folder may be reverted, the latest first. A real disk may
 * do that and seldom does, so only a model can test for it.
 */
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  anyStep,
  applyToModel,
  perform,
  type Model,
  type Step,
} from '../../../test/suites/state-store.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { StateStore } from '../../ports/pod/state-store.ts';
import { openCheckpointStateStore } from './checkpoint-state-store.ts';
import type { FileSystem } from './file-system.ts';

const FOLDER = '/kubelet';
const NAME = 'allocated_pods_state';
/** Make the folder, create, write, sync, close, rename. */
const STEPS_BEFORE_FOLDER_SYNC = 6;

interface Inode {
  content: Uint8Array;
  /** How much of it is durable. */
  syncedBytes: number;
}

type Names = ReadonlyMap<string, Inode>;

/** Thrown at every step once the power is cut. */
class PowerCut extends Error {}

class ModelDisk implements FileSystem {
  /** Each state of the folder since its last sync; the last one is what programs see. */
  #names: Names[];
  #stepsLeft = Infinity;

  constructor(names: Names = new Map()) {
    this.#names = [names];
  }

  cutAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** The disk after the cut: `chance` picks from what may have survived. */
  afterCut(chance: (choices: number) => number): ModelDisk {
    const names = this.#names[chance(this.#names.length)] ?? new Map<string, Inode>();
    return new ModelDisk(
      new Map(
        [...names].map(([name, { content, syncedBytes }]) => {
          const bytes = syncedBytes + chance(content.length - syncedBytes + 1);
          return [name, { content: content.slice(0, bytes), syncedBytes: bytes }];
        }),
      ),
    );
  }

  async makeFolder(): Promise<undefined> {
    this.#step();
  }

  async listFolder(): Promise<readonly string[]> {
    this.#step();
    return [...this.#seen().keys()];
  }

  async syncFolder(): Promise<void> {
    this.#step();
    this.#names = [this.#seen()];
  }

  async readFile(file: string): Promise<Uint8Array | undefined> {
    this.#step();
    return this.#seen().get(path.basename(file))?.content;
  }

  async createFile(file: string): ReturnType<FileSystem['createFile']> {
    this.#step();
    const name = path.basename(file);
    if (this.#seen().has(name)) throw new Error(`EEXIST: ${name}`);
    const inode: Inode = { content: new Uint8Array(), syncedBytes: 0 };
    this.#become(new Map(this.#seen()).set(name, inode));
    return {
      write: async (content) => {
        this.#step();
        inode.content = content;
      },
      sync: async () => {
        this.#step();
        inode.syncedBytes = inode.content.length;
      },
      close: async () => this.#step(),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step();
    const names = new Map(this.#seen());
    const inode = names.get(path.basename(from));
    if (!inode) throw new Error(`ENOENT: ${from}`);
    names.delete(path.basename(from));
    this.#become(names.set(path.basename(to), inode));
  }

  async removeFile(file: string): Promise<void> {
    this.#step();
    const names = new Map(this.#seen());
    names.delete(path.basename(file));
    this.#become(names);
  }

  #seen(): Names {
    return this.#names.at(-1) ?? new Map();
  }

  #become(names: Names): void {
    this.#names.push(names);
  }

  #step(): void {
    this.#stepsLeft -= 1;
    if (this.#stepsLeft < 0) throw new PowerCut();
  }
}

interface Life {
  /** Changes that are made at once share one write. */
  readonly groups: readonly (readonly Step[])[];
  readonly cutAfter: number;
  readonly survival: Iterable<number>;
}

const anyLife: fc.Arbitrary<Life> = fc.record({
  groups: fc.array(fc.array(anyStep, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
  cutAfter: fc.nat({ max: 50 }),
  survival: fc.infiniteStream(fc.nat()),
});

const open = (disk: FileSystem): Promise<StateStore> =>
  openCheckpointStateStore({ folder: FOLDER, name: NAME, fileSystem: disk });

/** Runs until the power is cut. Returns the states that may be found afterwards. */
async function live(disk: ModelDisk, life: Life, before: Model): Promise<readonly Model[]> {
  let [kept, next] = [before, before];
  disk.cutAfter(life.cutAfter);
  try {
    const store = await open(disk);
    expect(store.all()).toEqual(before);
    for (const group of life.groups) {
      next = new Map(kept);
      for (const step of group) applyToModel(next, step);
      await Promise.all(group.map((step) => perform(store, step)));
      kept = next;
    }
  } catch (error) {
    if (!findPowerCut(error)) throw error;
  }
  return [kept, next];
}

function findPowerCut(error: unknown): boolean {
  if (error instanceof PowerCut) return true;
  if (error instanceof AggregateError) return error.errors.some(findPowerCut);
  return error instanceof PodkeepError && findPowerCut(error.cause);
}

test('after a power cut the old or the new state is found in full, and no promise is broken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLife, { minLength: 1, maxLength: 4 }), async (lives) => {
      let disk = new ModelDisk();
      let state: Model = new Map();
      for (const life of lives) {
        const allowed = await live(disk, life, state);
        const survival = life.survival[Symbol.iterator]();
        disk = disk.afterCut((choices) => Number(survival.next().value) % choices);
        state = new Map((await open(disk)).all());
        expect(allowed).toContainEqual(state);
        expect((await disk.listFolder()).filter((name) => name !== NAME)).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a state that a start has read is durable, even if it was never synced before', async () => {
  const disk = new ModelDisk();
  const store = await open(disk);
  disk.cutAfter(STEPS_BEFORE_FOLDER_SYNC);
  await expect(store.setContainerResources('a', 'main', {})).rejects.toMatchObject({
    code: 'CHECKPOINT_NOT_DURABLE',
  });
  disk.cutAfter(Infinity);
  const earliest = (): number => 0;
  expect((await open(disk.afterCut(earliest))).all().size).toBe(0);
  expect((await open(disk)).all().size).toBe(1);
  expect((await open(disk.afterCut(earliest))).all().size).toBe(1);
});
