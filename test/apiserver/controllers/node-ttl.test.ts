/** Annotates nodes with the time for which they may cache Secrets and ConfigMaps. */
import { expect, test } from 'vitest';
import { structAt } from '../../../src/apiserver/objects/field-path.ts';
import { ControllerHarness } from './controller-harness.ts';

const NODES = '/api/v1/nodes';

async function ttls(harness: ControllerHarness): Promise<readonly unknown[]> {
  const nodes = await harness.list(NODES);
  const all = nodes.map((node) => structAt(node, 'metadata.annotations'));
  return [...new Set(all.map((one) => one['node.alpha.kubernetes.io/ttl']))];
}

test('all nodes follow the size of the cluster, and not back and forth at a boundary', async () => {
  const harness = await ControllerHarness.open({ controllers: ['ttl'] });
  for (let index = 0; index < 100; index++) await harness.make(NODES, `n${index}`);
  await harness.settle();
  expect(await ttls(harness)).toEqual(['0']);
  await harness.make(NODES, 'n100');
  await harness.settle();
  expect(await ttls(harness)).toEqual(['15']);
  for (let index = 0; index < 11; index++) await harness.remove(`${NODES}/n${index}`);
  await harness.settle();
  expect(await ttls(harness)).toEqual(['15']);
  await harness.remove(`${NODES}/n100`);
  await harness.settle();
  expect(await ttls(harness)).toEqual(['0']);
  await harness.stop();
});

test('an annotation that a client changes or removes is restored', async () => {
  const harness = await ControllerHarness.open({ controllers: ['ttl'] });
  await harness.make(NODES, 'n');
  await harness.settle();
  for (const value of ['7', null]) {
    const annotations = { 'node.alpha.kubernetes.io/ttl': value };
    await harness.patch(`${NODES}/n`, { metadata: { annotations } });
    await harness.settle();
    expect(await ttls(harness)).toEqual(['0']);
  }
  await harness.stop();
});
