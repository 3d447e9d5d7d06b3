import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChangeJournal } from './change-journal.ts';

function journalOf(sizes: readonly number[], limits: { entriesMax: number; bytesMax: number }) {
  const journal = new ChangeJournal<{ revision: number; bytes: number }>(limits);
  for (const [index, bytes] of sizes.entries()) journal.append({ revision: 2 * index + 2, bytes });
  return journal;
}

function revisionsAfter(journal: ReturnType<typeof journalOf>, revision: number) {
  return journal.after(revision)?.map((entry) => entry.revision) ?? null;
}

test('the changes after a revision are all of them, in order', () => {
  const journal = journalOf([1, 1, 1], { entriesMax: 10, bytesMax: 10 });
  expect(revisionsAfter(journal, 0)).toEqual([2, 4, 6]);
  expect(revisionsAfter(journal, 3)).toEqual([4, 6]);
  expect(revisionsAfter(journal, 6)).toEqual([]);
});

test('what no longer fits is dropped, and a revision before it is unknown', () => {
  const journal = journalOf([1, 1, 1, 1], { entriesMax: 2, bytesMax: 10 });
  expect(revisionsAfter(journal, 3)).toBeNull();
  expect(revisionsAfter(journal, 4)).toEqual([6, 8]);
});

test('a change that is larger than the journal is dropped with all before it', () => {
  const journal = journalOf([1, 50], { entriesMax: 10, bytesMax: 10 });
  expect(journal.bytes).toBe(0);
  expect(revisionsAfter(journal, 3)).toBeNull();
  expect(revisionsAfter(journal, 4)).toEqual([]);
});

test('a skipped change makes everything before it unknown', () => {
  const journal = journalOf([1, 1], { entriesMax: 10, bytesMax: 10 });
  journal.skip(5);
  expect(revisionsAfter(journal, 4)).toBeNull();
  expect(revisionsAfter(journal, 5)).toEqual([]);
});

test('an answer never leaves a change out, whatever was dropped', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 800 });
  const limits = fc.record({
    entriesMax: fc.integer({ min: 1, max: 300 }),
    bytesMax: fc.integer({ min: 1, max: 900 }),
  });
  fc.assert(
    fc.property(sizes, limits, fc.nat(1700), (all, given, revision) => {
      const journal = journalOf(all, given);
      const answer = revisionsAfter(journal, revision);
      const wanted = all.map((_, index) => 2 * index + 2).filter((each) => each > revision);
      expect(answer ?? wanted).toEqual(wanted);
      expect(journal.bytes).toBeLessThanOrEqual(given.bytesMax);
    }),
  );
});
