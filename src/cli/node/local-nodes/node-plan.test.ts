import path from 'node:path';
import { expect, test } from 'vitest';
import { rangesOverlap } from '../../../runtimes/process/sandbox/address-ranges.ts';
import { checkNodeName, freeFolder, planNodes } from './node-plan.ts';
import { freeNodeName } from './node-name.ts';
import { FIRST_NODE } from './node-record.ts';

const ROOT = '/data';
const OTHER = { name: 'gpu', folder: 'nodes/gpu' };

function namesOf(request: Omit<Parameters<typeof planNodes>[0], 'root'>): readonly string[] {
  return planNodes({ root: ROOT, ...request }).map(({ name }) => name);
}

test('without a number the nodes of the data folder run', () => {
  expect(namesOf({ recorded: [FIRST_NODE], baseName: 'web' })).toEqual(['web']);
  expect(namesOf({ recorded: [FIRST_NODE, OTHER], baseName: 'web' })).toEqual(['web', 'gpu']);
});

test('with a larger number there are more, with the first numbers that are free', () => {
  const recorded = [FIRST_NODE, { name: 'web-2', folder: 'nodes/web-2' }];
  expect(namesOf({ recorded, count: 4, baseName: 'web' })).toEqual([
    'web',
    'web-2',
    'web-3',
    'web-4',
  ]);
});

test('with a smaller number nothing is left behind in silence', () => {
  const request = { recorded: [FIRST_NODE, OTHER], count: 1, baseName: 'web' };
  expect(() => namesOf(request)).toThrow(
    '--nodes 1 is too few: the data folder has 2 nodes, web, gpu',
  );
});

test('the first node cannot get the name of another', () => {
  const request = { recorded: [FIRST_NODE, OTHER], baseName: 'gpu' };
  expect(() => namesOf(request)).toThrow('there is a node gpu already');
});

test('no two nodes have a folder or addresses in common, however many there are', () => {
  const nodes = planNodes({ root: ROOT, recorded: [FIRST_NODE], count: 30, baseName: 'web' });
  const folders = nodes.map(({ folder }) => path.join(ROOT, folder, 'runtime'));
  for (const [index, one] of folders.entries()) {
    const others = folders.slice(index + 1);
    expect(others.filter((other) => other === one || rangesOverlap(one, other))).toEqual([]);
  }
});

test('a folder that is taken gets a number that no name can end with', () => {
  expect(freeFolder(ROOT, 'gpu', [OTHER])).toBe('nodes/gpu..2');
  expect(() => checkNodeName('gpu..2')).toThrow('cannot be the name of a node');
});

test('a long name is cut, so that the number fits', () => {
  const name = freeNodeName(`${'a'.repeat(60)}.bc`, () => false);
  expect(name).toBe(`${'a'.repeat(60)}-2`);
  expect(() => checkNodeName(name)).not.toThrow();
  expect(() => checkNodeName('a'.repeat(64))).toThrow('more than 63 characters');
});
