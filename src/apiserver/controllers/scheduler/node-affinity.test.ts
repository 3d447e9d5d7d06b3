import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { namedNodes, wantsNode } from './node-affinity.ts';

const node = { name: 'n1', labels: { disk: 'ssd', gen: '7', __proto__x: 'y' } };

function podWith(
  nodeSelectorTerms: readonly JsonObject[],
  nodeSelector: JsonObject = {},
): JsonObject {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { spec: { nodeSelector, affinity: { nodeAffinity: required } } };
}

const label = (key: string, operator: string, ...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key, operator, values }],
});
const named = (operator: string, ...values: readonly string[]): JsonObject => ({
  matchFields: [{ key: 'metadata.name', operator, values }],
});

test.each<[string, JsonObject, boolean]>([
  ['nothing asked', { spec: {} }, true],
  ['a label that it has', { spec: { nodeSelector: { disk: 'ssd' } } }, true],
  ['another value', { spec: { nodeSelector: { disk: 'hdd' } } }, false],
  ['a label of the prototype', { spec: { nodeSelector: { constructor: 'x' } } }, false],
  ['In', podWith([label('disk', 'In', 'hdd', 'ssd')]), true],
  ['NotIn without the label', podWith([label('zone', 'NotIn', 'a')]), true],
  ['Exists', podWith([label('zone', 'Exists')]), false],
  ['DoesNotExist', podWith([label('zone', 'DoesNotExist')]), true],
  ['Gt', podWith([label('gen', 'Gt', '6')]), true],
  ['Gt of the same', podWith([label('gen', 'Gt', '7')]), false],
  ['Lt', podWith([label('gen', 'Lt', '8')]), true],
  ['Gt of what is no number', podWith([label('gen', 'Gt', 'many')]), false],
  ['an operator that nobody knows', podWith([label('gen', 'Near', '7')]), false],
  ['its name', podWith([named('In', 'n1')]), true],
  ['not its name', podWith([named('NotIn', 'n1')]), false],
  ['one of two terms', podWith([label('zone', 'Exists'), named('In', 'n1')]), true],
  ['both parts of a term', podWith([{ ...label('zone', 'Exists'), ...named('In', 'n1') }]), false],
  ['a term that says nothing', podWith([{}]), false],
  ['no terms', podWith([]), false],
  ['a selector and a term', podWith([named('In', 'n1')], { disk: 'hdd' }), false],
])('%s', (_, pod, isWanted) => {
  expect(wantsNode(pod, node)).toBe(isWanted);
});

test('the node set is limited only if every term names nodes', () => {
  expect(namedNodes({ spec: {} })).toBeNull();
  expect(namedNodes(podWith([named('In', 'a'), label('x', 'Exists')]))).toBeNull();
  expect(namedNodes(podWith([named('NotIn', 'a')]))).toBeNull();
  expect(namedNodes(podWith([named('In', 'a'), named('In', 'b')]))).toEqual(new Set(['a', 'b']));
  const twice = {
    matchFields: [
      { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
      { key: 'metadata.name', operator: 'In', values: ['b', 'c'] },
    ],
  };
  expect(namedNodes(podWith([twice]))).toEqual(new Set(['b']));
});
