import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { FIRST_NODE, readNodeRecord, writeNodeRecord } from './node-record.ts';

function makeRecord(text?: string): { readonly nodeRecord: string } {
  const nodeRecord = path.join(makeTempFolder(), 'nodes.json');
  if (text !== undefined) writeFileSync(nodeRecord, text);
  return { nodeRecord };
}

test('a data folder without a record has its first node, and gets no record for that', () => {
  const record = makeRecord();
  expect(readNodeRecord(record)).toEqual([FIRST_NODE]);
  writeNodeRecord(record, [FIRST_NODE]);
  expect(existsSync(record.nodeRecord)).toBe(false);
});

test('what is written is read again, and the record goes with the last other node', () => {
  const record = makeRecord();
  const nodes = [FIRST_NODE, { name: 'web-2', folder: 'nodes/web-2' }];
  writeNodeRecord(record, nodes);
  expect(readNodeRecord(record)).toEqual(nodes);
  writeNodeRecord(record, [FIRST_NODE]);
  expect(existsSync(record.nodeRecord)).toBe(false);
});

test.each([
  ['no JSON', '{'],
  ['no nodes', '{"version": 1}'],
  ['an empty list', '{"version": 1, "nodes": []}'],
  ['another version', '{"version": 2, "nodes": [{"folder": "node"}]}'],
  ['a node without a name', '{"version": 1, "nodes": [{"folder": "nodes/a"}]}'],
  ['a folder elsewhere', '{"version": 1, "nodes": [{"name": "a", "folder": "nodes/../store"}]}'],
  ['an invalid name', '{"version": 1, "nodes": [{"name": "A", "folder": "nodes/a"}]}'],
  ['a node twice', '{"version": 1, "nodes": [{"folder": "node"}, {"folder": "node"}]}'],
])('a record with %s is refused', (_title, text) => {
  expect(() => readNodeRecord(makeRecord(text))).toThrow('cannot be used');
});
