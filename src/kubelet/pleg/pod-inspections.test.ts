import { expect, test } from 'vitest';
import { promisesSettled } from '../../../test/support/virtual-clock.ts';
import { PodInspections } from './pod-inspections.ts';

function harness(parallelMax: number) {
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

test('requests during an inspection share the next one (KL-89)', async () => {
  const { inspections, begun, endNext } = harness(4);
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

test('a request for a queued inspection shares it', async () => {
  const { inspections, begun, endNext } = harness(1);
  const looks = [inspections.request('a'), inspections.request('b'), inspections.request('b')];
  await promisesSettled();
  expect(begun).toEqual(['a']);
  await endNext();
  await endNext();
  await Promise.all(looks);
  expect(begun).toEqual(['a', 'b']);
});

test('the limit holds at every moment', async () => {
  const { inspections, begun, endNext } = harness(2);
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
