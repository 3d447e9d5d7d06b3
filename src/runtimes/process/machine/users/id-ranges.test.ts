import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';
import { IDS_PER_POD, IdRanges, reservedRanges } from './id-ranges.ts';

function makeMachine(files: Readonly<Record<string, string>> = {}) {
  const root = makeTempFolder();
  const [folder, etc] = [path.join(root, 'ids'), path.join(root, 'etc')];
  mkdirSync(etc);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(etc, name), text);
  return { folder, etc, ranges: (key: string) => new IdRanges({ key, folder, etc }) };
}

test('no two pods share a range, whichever podkeep they belong to', () => {
  const { ranges } = makeMachine();
  const [one, other] = [ranges('00000a00'), ranges('00000a00')];
  const taken = [one.take('a'), other.take('b'), one.take('c'), other.take('d')];
  expect(new Set(taken.map(({ first }) => first)).size).toBe(4);
  expect(
    taken.every(({ first, count }) => first % IDS_PER_POD === 0 && count === IDS_PER_POD),
  ).toBe(true);
});

test('a range that was released is used again', () => {
  const { ranges } = makeMachine();
  const own = ranges('00000000');
  const range = own.take('a');
  own.release(range);
  expect(own.take('b')).toEqual(range);
});

test('a range avoids the accounts of the machine and their ranges', () => {
  const free = makeMachine().ranges('00000000').take('a').first;
  const next = free + IDS_PER_POD;
  const account = makeMachine({ passwd: `root:x:0:0\nodd:x:${free + 7}:1\n` });
  expect(account.ranges('00000000').take('a').first).toBe(next);
  const group = makeMachine({ group: `odd:x:${free}:\n` });
  expect(group.ranges('00000000').take('a').first).toBe(next);
  const sub = makeMachine({ subuid: `someone:${free - 10}:${IDS_PER_POD + 20}\n` });
  expect(sub.ranges('00000000').take('a').first).toBe(next + IDS_PER_POD);
});

test('an account that is added while podkeep runs is avoided', () => {
  const { ranges, etc } = makeMachine({ passwd: 'root:x:0:0\n' });
  const own = ranges('00000000');
  const first = own.take('a').first;
  writeFileSync(path.join(etc, 'passwd'), `odd:x:${first + IDS_PER_POD}:1\n`);
  expect(own.take('b').first).toBe(first + 2 * IDS_PER_POD);
});

test('a range of this runtime is not tried again while it is taken', () => {
  const { ranges, folder } = makeMachine();
  const own = ranges('00000000');
  const range = own.take('a');
  // By its file alone it would be free.
  rmSync(path.join(folder, String(range.first)));
  expect(own.take('b').first).not.toBe(range.first);
});

test('what a killed podkeep has left is released by the next one of the same folder, and by no other', () => {
  const { folder, ranges } = makeMachine();
  const own = ranges('00000000');
  const [kept, lost] = [own.take('a'), own.take('b')];
  const foreign = ranges('ffffff00').take('c');
  own.sweep(new Set([kept.first]));
  const left = readdirSync(folder).map(Number);
  expect(left).toEqual(expect.arrayContaining([kept.first, foreign.first]));
  expect(left).not.toContain(lost.first);
});

test('files that are missing or odd reserve nothing', () => {
  expect(reservedRanges('/no/such/folder')).toEqual([]);
  const root = makeTempFolder();
  writeFileSync(path.join(root, 'subuid'), 'a:b:c\n\n#\nx:10:5\n');
  expect(reservedRanges(root)).toEqual([{ first: 10, count: 5 }]);
});
