import { expect, test } from 'vitest';
import { nodeSettings } from '../../../test/support/node-parts.ts';
import { NodeHarness, refusal } from '../../../test/support/node-harness.ts';

const isLease = ({ path }: { readonly path: string }): boolean => path.includes('/leases');

test('a lease is created with the node, and renewed every ten seconds (KL-106)', async () => {
  const harness = new NodeHarness();
  await harness.run();
  await harness.clock.pass(31_000);
  expect(harness.renewals()).toEqual(['GET 0', 'POST 0', 'PUT 10200', 'PUT 20400', 'PUT 30600']);
  expect(harness.lease).toMatchObject({
    metadata: { name: 'n1', ownerReferences: [{ kind: 'Node', uid: 'uid-1' }] },
    spec: {
      holderIdentity: 'n1',
      leaseDurationSeconds: 40,
      renewTime: '2030-01-02T03:04:35.600000Z',
    },
  });
});

test('a quarter of another duration is another period', async () => {
  const harness = new NodeHarness();
  await harness.run({ settings: nodeSettings({ leaseDurationSeconds: 8 }) });
  await harness.clock.pass(4200);
  expect(harness.renewals()).toEqual(['GET 0', 'POST 0', 'PUT 2040', 'PUT 4080']);
});

test('an old lease of this node is taken over', async () => {
  const harness = new NodeHarness();
  harness.lease = {
    metadata: { name: 'n1', resourceVersion: '7' },
    spec: { holderIdentity: 'n1' },
  };
  await harness.run();
  expect(harness.renewals()).toEqual(['GET 0', 'PUT 0']);
  expect(harness.lease.metadata).toMatchObject({ ownerReferences: [{ uid: 'uid-1' }] });
});

test('after a conflict the lease is read and written again', async () => {
  const harness = new NodeHarness();
  await harness.run();
  await harness.clock.pass(5000);
  harness.lease = {
    ...harness.lease,
    metadata: { ...harness.lease?.metadata, resourceVersion: '999' },
  };
  await harness.clock.pass(6000);
  expect(harness.renewals().slice(2)).toEqual(['PUT 10200', 'GET 10200', 'PUT 10200']);
});

test('a deleted lease is created again', async () => {
  const harness = new NodeHarness();
  await harness.run();
  await harness.clock.pass(5000);
  harness.lease = null;
  await harness.clock.pass(6000);
  expect(harness.renewals().slice(2)).toEqual(['PUT 10200', 'GET 10200', 'POST 10200']);
});

test('five tries, then a read with a back-off from 200 ms doubled up to 7 s', async () => {
  const harness = new NodeHarness();
  await harness.run();
  await harness.clock.pass(5000);
  harness.fault = (request) => (isLease(request) ? refusal(500, 'InternalError') : null);
  await harness.clock.pass(30_000);
  const [puts, gets] = ['PUT', 'GET'].map((method) =>
    harness.requests.filter((one) => isLease(one) && one.method === method && one.atMs > 0),
  );
  expect(puts?.map(({ atMs }) => atMs)).toEqual(Array(5).fill(10_200));
  expect(gets?.map(({ atMs }) => atMs - 10_200)).toEqual([
    0, 200, 600, 1400, 3000, 6200, 12_600, 19_600,
  ]);
  harness.fault = () => null;
  await harness.clock.pass(7000);
  expect(harness.renewals().at(-1)).toMatch(/^PUT/);
});
