/**
 * Random layers, hostile ones among them: nothing outside of the image changes, and the image matches a model
 * of layers, or both refuse it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayerHarness } from '../../../../../test/support/layer-harness.ts';
import { modelOf } from '../../../../../test/support/layer-model.ts';
import type { TarEntry } from '../../../../../test/support/tar-writer.ts';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';

/** Stands for the folder beside the image, whose path is known only when the test runs. */
const OUTSIDE = '@outside';

type Layers = readonly (readonly TarEntry[])[];
type Tree = ReturnType<typeof modelOf>;

/** Instead of a tree. */
const REFUSED: Tree = { refused: 'refused' };

const anyPart = fc.constantFrom('a', 'b', 'file');
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

interface Outcome {
  readonly actual: Tree;
  readonly expected: Tree;
}

/** Unpacks layers into their own folder, and checks that nothing beside it changed. */
async function unpackAll(base: string, drawn: Layers, isBenign: boolean): Promise<Outcome> {
  const folder = mkdtempSync(path.join(base, 'run-'));
  const harness = new LayerHarness(folder);
  const all = drawn.map((layer) => layer.map((each) => relocated(each, harness.outside)));
  const layers = isBenign ? withoutRefused(all) : all;
  const before = harness.canary();
  const actual = await harness.unpack(...layers).then(
    () => harness.tree(),
    () => REFUSED,
  );
  expect(harness.canary()).toEqual(before);
  rmSync(folder, { recursive: true });
  return { actual, expected: modelTree(layers) };
}

test('no layers change what is outside of the image', async () => {
  const base = makeTempFolder();
  await fc.assert(
    fc.asyncProperty(anyLayers, async (drawn) => {
      const { actual, expected } = await unpackAll(base, drawn, false);
      expect(actual).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('layers without refused entries unpack to the tree of the model', async () => {
  const base = makeTempFolder();
  await fc.assert(
    fc.asyncProperty(anyLayers, async (drawn) => {
      const { actual, expected } = await unpackAll(base, drawn, true);
      expect(expected).not.toBe(REFUSED);
      expect(actual).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

function withoutRefused(layers: Layers): Layers {
  const kept: TarEntry[][] = [];
  for (const layer of layers) {
    const own: TarEntry[] = [];
    kept.push(own);
    for (const entry of layer) {
      own.push(entry);
      if (modelTree(kept) === REFUSED) own.pop();
    }
  }
  return kept;
}

function modelTree(layers: Layers): Tree {
  try {
    return modelOf(layers);
  } catch {
    return REFUSED;
  }
}
