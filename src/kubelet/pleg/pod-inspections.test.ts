import { expect, test } from 'vitest';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { PodInspections } from './pod-inspections.ts';

function stage(parallelMax: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const inspections = new PodInspections(parallelMax, (uid) => {
    begun.push(uid);
    return new Promise((resolve) => {
      ends.push(resolve);
    });
  });
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await promisesSettled();
  };
  return { inspections, begun, endNext };
}

test('who asks while a look is under way gets the next one, and shares it (KL-89)', async () => {
  const { inspections, begun, endNext } = stage(4);
  const answered: string[] = [];
  const ask = (name: string): void => {
    void inspections.request('a').then(() => answered.push(name));
  };
  ask('first');
  await promisesSettled();
  ask('second');
  ask('third');
  await promisesSettled();
  expect(begun).toEqual(['a']);
  await endNext();
  expect([begun, answered]).toEqual([['a', 'a'], ['first']]);
  await endNext();
  expect([begun, answered]).toEqual([
    ['a', 'a'],
    ['first', 'second', 'third'],
  ]);
});

test('who asks for a look that has not begun shares it', async () => {
  const { inspections, begun, endNext } = stage(1);
  const looks = [inspections.request('a'), inspections.request('b'), inspections.request('b')];
  await promisesSettled();
  expect(begun).toEqual(['a']);
  await endNext();
  await endNext();
  await Promise.all(looks);
  expect(begun).toEqual(['a', 'b']);
});

test('the limit holds at every moment', async () => {
  const { inspections, begun, endNext } = stage(2);
  const looks = ['a', 'b', 'c', 'd', 'e'].map((uid) => inspections.request(uid));
  await promisesSettled();
  for (let ended = 0; ended < 5; ended++) {
    expect(begun.length - ended).toBeLessThanOrEqual(2);
    await endNext();
    void inspections.request('f');
  }
  await endNext();
  await Promise.all(looks);
  expect(begun.slice(0, 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
