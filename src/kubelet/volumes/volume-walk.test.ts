import * as fc from 'fast-check';
import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { PodkeepError } from '../../lib/errors.ts';
import { VolumeWalk } from './volume-walk.ts';

const step = fc.constantFrom('a', 'b', 'c', '..', '.', '');
const way = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join('/'));
const thing = fc.record({
  at: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
  kind: fc.constantFrom('folder', 'file', 'link', 'absolute link'),
  target: way,
});

interface Thing {
  readonly at: readonly string[];
  readonly kind: string;
  readonly target: string;
}

/** An entry whose path is already taken is omitted. */
function build(volume: string, things: readonly Thing[]): void {
  for (const { at, kind, target } of things) {
    const full = path.join(volume, ...at);
    try {
      mkdirSync(kind === 'folder' ? full : path.dirname(full), { recursive: true });
      if (kind === 'file') writeFileSync(full, 'x', { flag: 'wx' });
      if (kind === 'link') symlinkSync(target || '.', full);
      if (kind === 'absolute link') symlinkSync(path.join(volume, target), full);
    } catch {
      // Taken.
    }
  }
}

test('no tree of links leads a walk out of its volume, or creates anything outside', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { maxLength: 8 }), way, async (things, subPath) => {
      const root = realpathSync(makeTempFolder());
      const volume = path.join(root, 'outer/volume');
      mkdirSync(volume, { recursive: true });
      build(volume, things);
      const outside = (): readonly string[] => [
        ...readdirSync(root),
        ...readdirSync(path.dirname(volume)),
      ];
      const before = outside();
      const walk = await VolumeWalk.begin(volume, true);
      const end = await walk.go(subPath).then(
        () => walk.path,
        (error: unknown) => error,
      );
      await walk.close();
      expect(outside()).toEqual(before);
      const isInside =
        typeof end === 'string'
          ? realpathSync(end) === end && (end === volume || end.startsWith(`${volume}/`))
          : end instanceof PodkeepError;
      expect({ end, isInside }).toMatchObject({ isInside: true });
      rmSync(root, { recursive: true });
    }),
    { numRuns: 60 },
  );
});
