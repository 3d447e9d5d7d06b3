import { expect, test } from 'vitest';
import { checkNewNode, checkRemoval, refuseSharedRuntime } from './node-changes.ts';

const CONTAINERD = 'unix:///run/containerd/containerd.sock';

test('a new node has a name of its own', () => {
  expect(() => checkNewNode('web-2', ['web'], 'process')).not.toThrow();
  expect(() => checkNewNode('web', ['web'], 'process')).toThrow('there is a node web already');
  expect(() => checkNewNode('Web', ['web'], 'process')).toThrow('cannot be the name of a node');
});

test('there are a hundred nodes at most', () => {
  const names = Array.from({ length: 100 }, (_each, index) => `web-${index}`);
  expect(() => checkNewNode('web', names, 'simulated')).toThrow('100 nodes already');
});

test('a container runtime runs one node, because it does not know which node a pod belongs to', () => {
  expect(() => refuseSharedRuntime(CONTAINERD, 1)).not.toThrow();
  expect(() => refuseSharedRuntime(CONTAINERD, 2)).toThrow('can run one node only');
  expect(() => checkNewNode('web-2', ['web'], CONTAINERD)).toThrow('can run one node only');
});

test('a node that is not there cannot be removed, and neither can the last', () => {
  const nodes = new Map([['web', 1]]);
  expect(() => checkRemoval('gpu', nodes)).toThrow('this podkeep runs no node gpu');
  expect(() => checkRemoval('web', nodes)).toThrow('web is the last node');
  expect(checkRemoval('gpu', new Map([...nodes, ['gpu', 2]]))).toBe(2);
});
