import { expect, test } from 'vitest';
import { nodeSettings } from '../../../test/support/node-parts.ts';
import { NodeStage, refusal } from '../../../test/support/node-stage.ts';

const isLease = ({ path }: { readonly path: string }): boolean => path.includes('/leases');

test('a lease is made when the node is, and renewed every ten seconds (KL-106)', async () => {
  const stage = new NodeStage();
  await stage.run();
  await stage.clock.pass(31_000);
  expect(stage.renewals()).toEqual(['GET 0', 'POST 0', 'PUT 10200', 'PUT 20400', 'PUT 30600']);
  expect(stage.lease).toMatchObject({
    metadata: { name: 'n1', ownerReferences: [{ kind: 'Node', uid: 'uid-1' }] },
    spec: {
      holderIdentity: 'n1',
      leaseDurationSeconds: 40,
      renewTime: '2030-01-02T03:04:35.600000Z',
    },
  });
});

test('a quarter of another duration is another period', async () => {
  const stage = new NodeStage();
  await stage.run({ settings: nodeSettings({ leaseDurationSeconds: 8 }) });
  await stage.clock.pass(4200);
  expect(stage.renewals()).toEqual(['GET 0', 'POST 0', 'PUT 2040', 'PUT 4080']);
});

test('an old lease of this node is taken over', async () => {
  const stage = new NodeStage();
  stage.lease = { metadata: { name: 'n1', resourceVersion: '7' }, spec: { holderIdentity: 'n1' } };
  await stage.run();
  expect(stage.renewals()).toEqual(['GET 0', 'PUT 0']);
  expect(stage.lease.metadata).toMatchObject({ ownerReferences: [{ uid: 'uid-1' }] });
});

test('after a conflict the lease is read and written again', async () => {
  const stage = new NodeStage();
  await stage.run();
  await stage.clock.pass(5000);
  stage.lease = { ...stage.lease, metadata: { ...stage.lease?.metadata, resourceVersion: '999' } };
  await stage.clock.pass(6000);
  expect(stage.renewals().slice(2)).toEqual(['PUT 10200', 'GET 10200', 'PUT 10200']);
});

test('a lease that is gone is made again', async () => {
  const stage = new NodeStage();
  await stage.run();
  await stage.clock.pass(5000);
  stage.lease = null;
  await stage.clock.pass(6000);
  expect(stage.renewals().slice(2)).toEqual(['PUT 10200', 'GET 10200', 'POST 10200']);
});

test('five tries, then a read with a back-off from 200 ms doubled up to 7 s', async () => {
  const stage = new NodeStage();
  await stage.run();
  await stage.clock.pass(5000);
  stage.fault = (request) => (isLease(request) ? refusal(500, 'InternalError') : null);
  await stage.clock.pass(30_000);
  const [puts, gets] = ['PUT', 'GET'].map((method) =>
    stage.requests.filter((one) => isLease(one) && one.method === method && one.atMs > 0),
  );
  expect(puts?.map(({ atMs }) => atMs)).toEqual(Array(5).fill(10_200));
  expect(gets?.map(({ atMs }) => atMs - 10_200)).toEqual([
    0, 200, 600, 1400, 3000, 6200, 12_600, 19_600,
  ]);
  stage.fault = () => null;
  await stage.clock.pass(7000);
  expect(stage.renewals().at(-1)).toMatch(/^PUT/);
});
