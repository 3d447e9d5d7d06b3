import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import type { SystemCall } from '../../../lib/syscall-helper/calls.ts';
import { NeighbourRoutes } from './neighbour-routes.ts';

const OTHER = { bridge: 'pk-b', subnet: '10.224.2.0/24' };

/** The kernel's settings are files, and its answers are always yes. */
function harness(folder = makeTempFolder()) {
  const settings = path.join(folder, 'conf');
  for (const name of ['default', 'pk-a']) {
    mkdirSync(path.join(settings, name), { recursive: true });
    const file = path.join(settings, name, 'forwarding');
    if (!existsSync(file)) writeFileSync(file, '0');
  }
  const orders: (readonly SystemCall[])[] = [];
  const forwarding = (): string =>
    readFileSync(path.join(settings, 'pk-a', 'forwarding'), 'utf8').trim();
  const seenBefore: string[] = [];
  const helper = {
    perform: (calls: readonly SystemCall[]) => {
      orders.push(calls);
      seenBefore.push(forwarding());
      return Promise.resolve();
    },
  };
  const routes = new NeighbourRoutes({
    key: '0000000a',
    bridge: 'pk-a',
    helper,
    settings,
    folder: path.join(folder, 'notes'),
  });
  return { folder, routes, orders, forwarding, seenBefore };
}

test('a node without others changes nothing', async () => {
  const { routes, orders, forwarding } = harness();
  await routes.update([]);
  await routes.end();
  expect([orders, forwarding()]).toEqual([[], '0']);
});

test('the bridge forwards only while its routes are there', async () => {
  const { routes, orders, forwarding, seenBefore } = harness();
  await routes.update([OTHER]);
  expect([forwarding(), orders.length]).toEqual(['1', 1]);
  await routes.update([]);
  expect([forwarding(), orders.length]).toEqual(['0', 2]);
  // It was off when the routes were made, and when they were removed.
  expect(seenBefore).toEqual(['0', '0']);
});

test('what a killed podkeep has left is removed by the next one without other nodes', async () => {
  const killed = harness();
  await killed.routes.update([OTHER]);
  const next = harness(killed.folder);
  expect(next.forwarding()).toBe('1');
  await next.routes.update([]);
  expect([next.forwarding(), next.orders.length]).toEqual(['0', 1]);
});

test('after its end nothing is set up again', async () => {
  const { routes, orders } = harness();
  await routes.end();
  await routes.update([OTHER]);
  expect(orders).toEqual([]);
});
