/** What readers see while files are replaced: they read after each single step of the writer. */
import * as fc from 'fast-check';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type * as fs from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { promisesSettled } from '../../../../test/support/virtual-clock.ts';

const NOW = { nowMs: Date.UTC(2026, 0, 2, 3, 4, 5) };
const reader = vi.hoisted(() => ({ look: (): void => undefined }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const steps = [
    ...(['mkdirSync', 'mkdtempSync', 'openSync', 'writeFileSync', 'fchmodSync'] as const),
    ...(['chmodSync', 'symlinkSync', 'renameSync', 'unlinkSync'] as const),
  ];
  const watched = steps.map((name) => {
    const step: (...args: never[]) => unknown = real[name];
    const stepAndLook = (...args: never[]): unknown => {
      const answer = step(...args);
      reader.look();
      return answer;
    };
    return [name, stepAndLook] as const;
  });
  return { ...real, ...Object.fromEntries(watched) };
});

// Test files share modules; this one needs a writer that was not loaded before the steps are watched.
vi.resetModules();
const { writeAtomically } = await import('./atomic-writer.ts');

const name = fc.constantFrom('a', 'b', 'c', 'd/x', 'd/y', 'e/f/g', '__proto__', 'constructor');
const files = fc
  .uniqueArray(fc.tuple(name, fc.string({ maxLength: 8 })), { selector: ([key]) => key })
  .map((entries) => new Map(entries));

test('after any set of files, any other: a reader sees one of the two, never a mixture', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(files, { minLength: 2, maxLength: 4 }), async (sets) => {
      const folder = makeTempFolder();
      let old = textOf(new Map());
      for (const set of sets) {
        const seen = await seenWhileWriting(folder, set);
        expect([old, textOf(set)]).toEqual(expect.arrayContaining([...seen]));
        expect(shown(folder)).toBe(textOf(set));
        expect(textOf(visible(folder))).toBe(textOf(set));
        old = textOf(set);
      }
    }),
    { numRuns: 24 },
  );
});

async function seenWhileWriting(
  folder: string,
  set: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string | null>> {
  const seen = new Set<string | null>();
  const watch = { isOver: false, looks: 0 };
  reader.look = () => {
    watch.looks += 1;
    seen.add(shown(folder));
  };
  const payload = new Map(
    [...set].map(([key, text]) => [key, { data: Buffer.from(text), mode: 0o644 }]),
  );
  const writing = writeAtomically(folder, payload, NOW).finally(() => {
    watch.isOver = true;
  });
  while (!watch.isOver) {
    reader.look();
    await promisesSettled();
  }
  reader.look = () => undefined;
  // Each file alone takes three steps, and the switch three more.
  const looksMin = (await writing) ? 3 * set.size + 3 : 0;
  expect(watch.looks).toBeGreaterThanOrEqual(looksMin);
  seen.delete(null);
  return seen;
}

/** What a reader sees that opens ..data once; null: it was replaced meanwhile. */
function shown(folder: string): string | null {
  if (!existsSync(path.join(folder, '..data'))) return textOf(new Map());
  const before = readlinkSync(path.join(folder, '..data'));
  const isStill = (): boolean => readlinkSync(path.join(folder, '..data')) === before;
  try {
    const seen = textOf(filesIn(path.join(folder, before)));
    return isStill() ? seen : null;
  } catch {
    return isStill() ? 'the current folder is broken' : null;
  }
}

/** By the names that users open: those that do not begin with two dots. */
function visible(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((each) => !each.startsWith('..'));
  return new Map(
    names.flatMap((each) => {
      const file = path.join(folder, each);
      if (statSync(file).isFile()) return [[each, readFileSync(file, 'utf8')] as const];
      return [...filesIn(file)].map(([inner, text]) => [`${each}/${inner}`, text] as const);
    }),
  );
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const plain = names.filter((each) => statSync(path.join(folder, each)).isFile());
  return new Map(plain.map((each) => [each, readFileSync(path.join(folder, each), 'utf8')]));
}

function textOf(set: ReadonlyMap<string, string>): string {
  return JSON.stringify([...set].sort(([a], [b]) => (a < b ? -1 : 1)));
}
