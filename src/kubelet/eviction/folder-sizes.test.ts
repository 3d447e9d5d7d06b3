import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import type { Clock } from '../../ports/clock.ts';
import { FolderSizes } from './folder-sizes.ts';

const NEVER = new AbortController().signal;

/** Each reading of the clock takes time, as work does. */
class CostlyClock implements Clock {
  ms = 0;
  costMs = 0;
  readonly after = () => () => {};
  readonly now = () => this.ms;
  readonly monotonic = () => (this.ms += this.costMs);
}

function folderOf(files: number): string {
  const folder = makeTempFolder();
  for (let index = 0; index < files; index += 1) writeFileSync(path.join(folder, `${index}`), 'x');
  return folder;
}

function bytesOf(folder: string, ...names: readonly string[]): number {
  const all = [folder, ...names.map((name) => path.join(folder, name))];
  return all.reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

test('a folder has a size after it was measured, and none when it is gone', async () => {
  const sizes = new FolderSizes(new CostlyClock());
  const folder = folderOf(1);
  expect(sizes.sizeOf(folder)?.bytes).toBeUndefined();
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBe(bytesOf(folder, '0'));
  mkdirSync(path.join(folder, 'new'));
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBe(bytesOf(folder, '0', 'new'));
  rmSync(folder, { recursive: true });
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBeUndefined();
});

test('a folder that is not requested any more is forgotten', async () => {
  const sizes = new FolderSizes(new CostlyClock());
  const [one, two] = [folderOf(1), folderOf(1)];
  await sizes.refresh([one, two], NEVER);
  await sizes.refresh([two], NEVER);
  expect(sizes.sizeOf(one)?.bytes).toBeUndefined();
  expect(sizes.sizeOf(two)?.bytes).toBeGreaterThan(0);
});

test('a refresh ends after a second; later ones finish a large folder', async () => {
  const clock = new CostlyClock();
  const sizes = new FolderSizes(clock);
  const large = folderOf(200);
  clock.costMs = 100;
  let refreshes = 0;
  while (sizes.sizeOf(large)?.bytes === undefined && refreshes < 50) {
    const startMs = clock.ms;
    await sizes.refresh([large], NEVER);
    expect(clock.ms - startMs).toBeLessThan(1500);
    refreshes += 1;
  }
  expect(refreshes).toBeGreaterThan(1);
  expect(sizes.sizeOf(large)?.bytes).toBeGreaterThanOrEqual(200 * 512);
});

test('a large folder does not stop a small one from being measured', async () => {
  const clock = new CostlyClock();
  const sizes = new FolderSizes(clock);
  const [large, small] = [folderOf(400), folderOf(1)];
  clock.costMs = 40;
  await sizes.refresh([large, small], NEVER);
  const found = [sizes.sizeOf(large)?.bytes, sizes.sizeOf(small)?.bytes];
  await sizes.stop();
  expect(found).toEqual([undefined, bytesOf(small, '0')]);
});

test('until a large folder is measured again, its last size counts', async () => {
  const clock = new CostlyClock();
  const sizes = new FolderSizes(clock);
  const folder = folderOf(200);
  await sizes.refresh([folder], NEVER);
  const before = sizes.sizeOf(folder)?.bytes;
  for (let index = 0; index < 100; index += 1) writeFileSync(path.join(folder, `n${index}`), 'x');
  clock.costMs = 100;
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBe(before);
  clock.costMs = 0;
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBeGreaterThan(before ?? Infinity);
});

test('a folder rests twenty times as long as its measurement took', async () => {
  const clock = new CostlyClock();
  const sizes = new FolderSizes(clock);
  const folder = folderOf(100);
  clock.costMs = 10;
  await sizes.refresh([folder], NEVER);
  const before = sizes.sizeOf(folder)?.bytes;
  clock.costMs = 0;
  mkdirSync(path.join(folder, 'new'));
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBe(before);
  clock.ms += 20_000;
  await sizes.refresh([folder], NEVER);
  expect(sizes.sizeOf(folder)?.bytes).toBeGreaterThan(before ?? Infinity);
});

test('an aborted refresh ends at once', async () => {
  const sizes = new FolderSizes(new CostlyClock());
  const folder = folderOf(1);
  await sizes.refresh([folder], AbortSignal.abort());
  expect(sizes.sizeOf(folder)?.bytes).toBeUndefined();
});
