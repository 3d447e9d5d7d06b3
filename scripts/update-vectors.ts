/**
 * Selects the test vectors that are stored in this repository, so that `npm test` needs no other files.
 *
 *     npm run vectors:update -- FILE…
 *
 * From each file it takes evenly spread lines per function, within a byte budget, and writes them under the
 * same name to test/vectors/.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const HOME = path.join(import.meta.dirname, '..', 'test', 'vectors');
/** All of test/vectors/ stays under 3 MB: six files of at most this much. */
const FILE_BYTES_MAX = 480_000;

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('Give the vector files to pick from: npm run vectors:update -- FILE…');
  process.exitCode = 2;
}
mkdirSync(HOME, { recursive: true });
for (const file of files) {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const picked = pick(lines);
  writeFileSync(path.join(HOME, path.basename(file)), `${picked.join('\n')}\n`);
  console.log(`${path.basename(file)}: ${picked.length} of ${lines.length} lines`);
}

/** Each function gets an equal share of the budget; selected lines keep their order. */
function pick(lines: readonly string[]): readonly string[] {
  const byFunction = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const { fn } = JSON.parse(line) as { readonly fn: string };
    byFunction.set(fn, [...(byFunction.get(fn) ?? []), index]);
  }
  const share = FILE_BYTES_MAX / byFunction.size;
  const chosen = [...byFunction.values()].flatMap((indexes) => {
    const bytes = indexes.reduce(
      (sum, index) => sum + Buffer.byteLength(lines[index] ?? '') + 1,
      0,
    );
    const step = Math.max(1, Math.ceil(bytes / share));
    return indexes.filter((_, position) => position % step === 0);
  });
  return chosen.toSorted((a, b) => a - b).map((index) => lines[index] ?? '');
}
