/**
 * Random layers, hostile ones among them: nothing outside of the image changes, and the image is what
 * a model of layers says, or both refuse it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayerHarness } from '../../../../test/support/layer-harness.ts';
import { modelOf } from '../../../../test/support/layer-model.ts';
import type { TarEntry } from '../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';

/** Stands for the folder beside the image, whose path is known only when the test runs. */
const OUTSIDE = '@outside';

/** In the stead of a tree. */
const REFUSED = { refused: 'refused' };

const anyPart = fc.constantFrom('a', 'b', 'c', 'file', 'sub');
const anyInside = fc.array(anyPart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const anyName = fc.oneof(
  { weight: 30, arbitrary: anyInside },
  { weight: 3, arbitrary: anyInside.map((name) => `/${name}`) },
  { weight: 3, arbitrary: fc.tuple(anyPart, anyInside).map((parts) => parts.join('/../')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('.', './', '../outside/file', 'a/../../b', `${OUTSIDE}/file`),
  },
);
const anyTarget = fc.oneof(
  anyInside,
  anyInside.map((name) => `/${name}`),
  anyInside.map((name) => `../${name}`),
  fc.constantFrom('.', '/', '..', '../..', '../../outside', OUTSIDE, `${OUTSIDE}/sub`),
);
const anyMode = fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o1777);
const anyEntry: fc.Arbitrary<TarEntry> = fc.oneof(
  fc.record({ name: anyName, content: fc.constantFrom('', 'x', 'some more'), mode: anyMode }),
  fc.record({ name: anyName, type: fc.constant('folder' as const), mode: anyMode }),
  fc.record({ name: anyName, type: fc.constant('symlink' as const), target: anyTarget }),
  fc.record({ name: anyName, type: fc.constant('hardLink' as const), target: anyName }),
  fc.record({ name: anyInside.map((name) => name.replace(/([^/]*)$/, '.wh.$1')) }),
  fc.record({ name: anyInside.map((name) => name.replace(/([^/]*)$/, '.wh..wh..opq')) }),
  fc.record({ name: anyName, type: fc.constantFrom('fifo' as const, 'characterDevice' as const) }),
);
const anyLayers = fc.array(fc.array(anyEntry, { maxLength: 12 }), { minLength: 1, maxLength: 3 });

function relocated(entry: TarEntry, outside: string): TarEntry {
  const { name, target } = entry;
  const own = { ...entry, name: String(name).replace(OUTSIDE, outside) };
  return target === undefined ? own : { ...own, target: target.replace(OUTSIDE, outside) };
}

test('no layers change what is outside of the image, and all unpack to what they say', async () => {
  const base = makeTempFolder();
  let refused = 0;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(anyLayers, async (drawn) => {
      const folder = mkdtempSync(path.join(base, 'run-'));
      const harness = new LayerHarness(folder);
      const layers = drawn.map((layer) => layer.map((each) => relocated(each, harness.outside)));
      const before = harness.canary();
      const actual = await harness.unpack(...layers).then(
        () => harness.tree(),
        () => REFUSED,
      );
      const expected = modelTree(layers);
      expect(harness.canary()).toEqual(before);
      expect(actual).toEqual(expected);
      runs += 1;
      if (expected === REFUSED) refused += 1;
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 200 },
  );
  // The property would say little if nearly all layers were refused.
  expect(refused / runs).toBeLessThan(0.8);
});

function modelTree(layers: readonly (readonly TarEntry[])[]): ReturnType<typeof modelOf> {
  try {
    return modelOf(layers);
  } catch {
    return REFUSED;
  }
}
