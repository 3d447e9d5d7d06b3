import * as fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openEnvironment, type Put } from './environment.ts';
import { readMeta } from './meta-page.ts';
import { encodeVersionKey } from './record.ts';

interface Transaction {
  readonly valueBytes: readonly number[];
  /** Every n-th record is removed; 0: none. */
  readonly every: number;
}

const size = fc.oneof(
  fc.nat(300),
  fc.integer({ min: 1900, max: 2200 }),
  fc.integer({ min: 3900, max: 4300 }),
  fc.nat(100_000),
);
const transaction: fc.Arbitrary<Transaction> = fc.record({
  valueBytes: fc.array(size, { maxLength: 120, size: 'max' }),
  every: fc.nat(4),
});

test('no transaction needs more space than was reserved for it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 8 }), async (list) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-reserve-'));
      const file = path.join(folder, 'objects.mdb');
      writeFileSync(file, '');
      const environment = openEnvironment(file);
      const keys = new Set<Buffer>();
      for (const [revision, { valueBytes, every }] of list.entries()) {
        const puts = valueBytes.map((bytes, index): Put => [
          encodeVersionKey(revision, index),
          Buffer.alloc(bytes, 120),
        ]);
        const removals = [...keys].filter((_, at) => every > 0 && at % every === 0);
        await environment.reserve(puts, removals);
        const reserved = statSync(file).size;
        await environment.write(puts, removals);
        const { lastPage, pageBytes } = readMeta(readFileSync(file));
        expect((lastPage + 1) * pageBytes).toBeLessThanOrEqual(reserved);
        expect(statSync(file).size).toBe(reserved);
        for (const key of removals) keys.delete(key);
        for (const [key] of puts) keys.add(key);
      }
      await environment.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 25 },
  );
});
