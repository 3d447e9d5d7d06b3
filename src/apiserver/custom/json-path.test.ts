import { describe, expect, test } from 'vitest';
import type { Json } from '../../lib/json.ts';
import { parseJsonPath } from './json-path.ts';

const OBJECT: Json = {
  metadata: { labels: { 'a.b/c': 'x' }, annotations: { 'example.com/n': '1' } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 3 },
      { type: 'Other', status: 'False', count: 1 },
    ],
  },
  list: [10, 20, 30],
};

describe('a path', () => {
  test.each<readonly [string, readonly Json[]]>([
    ['.metadata.labels', [{ 'a.b/c': 'x' }]],
    [".metadata.labels['a.b/c']", ['x']],
    ['.metadata.labels["a.b/c"]', ['x']],
    ['.metadata.annotations.example\\.com/n', ['1']],
    ['.list[1]', [20]],
    ['.list[-1]', [30]],
    ['.list[9]', []],
    ['.list[0:2]', [10, 20]],
    ['.list[*]', [10, 20, 30]],
    ['.status.conditions[*].type', ['Ready', 'Other']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Nobody')].status", []],
    ['.status.conditions[?(@.count > 1)].type', ['Ready']],
    ['.status.conditions[?(@.type != "Ready")].type', ['Other']],
    ['.status.conditions[?(@.nothing)].type', []],
    ['..type', ['Ready', 'Other']],
    ['.nothing.at.all', []],
    ['.constructor', []],
    ['.', [OBJECT]],
  ])('%s leads to %j', (path, expected) => {
    expect(parseJsonPath(path)?.find(OBJECT)).toEqual(expected);
  });

  test.each(['.list[', '.a b[?(]', 'nothing[x]', ".a['b]"])('%s is invalid', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });
});
