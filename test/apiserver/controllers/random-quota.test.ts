/** Whatever happens, in any order and concurrency: `status.used` equals a count of the objects. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { ControllerHarness } from './controller-harness.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const hard = {
  pods: '8',
  'count/pods': '12',
  'requests.cpu': '3',
  services: '4',
  'services.nodeports': '4',
  'count/configmaps': '5',
};
const seeds = Array.from({ length: 15 }, (_, index) => index + 1);

test.each(seeds)('status.used equals a count of the objects (seed %i)', async (seed) => {
  const harness = await ControllerHarness.open({ controllers: ['resource-quota'], seed });
  const random = seededRandom(seed);
  const pick = <Item>(...items: readonly Item[]): Item => {
    const item = items[Math.floor(random.next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const name = (): string => `n${Math.floor(random.next() * 15)}`;
  const acts: readonly (() => Promise<unknown>)[] = [
    () => {
      const resources = { requests: { cpu: pick('100m', '500m', '1') } };
      const spec = { containers: [{ name: 'c', image: 'nginx:1', resources }] };
      return harness.send('POST', `${NAMESPACE}/pods`, { metadata: { name: name() }, spec });
    },
    () => harness.patch(`${NAMESPACE}/pods/${name()}/status`, { status: { phase: 'Failed' } }),
    () => harness.remove(`${NAMESPACE}/pods/${name()}?gracePeriodSeconds=0`),
    () => {
      const spec = { type: pick('ClusterIP', 'NodePort'), ports: [{ port: 80 }] };
      return harness.send('POST', `${NAMESPACE}/services`, { metadata: { name: name() }, spec });
    },
    () => {
      const spec = { type: pick('ClusterIP', 'NodePort') };
      return harness.patch(`${NAMESPACE}/services/${name()}`, { spec });
    },
    () => harness.remove(`${NAMESPACE}/services/${name()}`),
    () => harness.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: name() } }),
    () => harness.remove(`${NAMESPACE}/configmaps/${name()}`),
  ];
  await harness.make(`${NAMESPACE}/resourcequotas`, 'kept', { spec: { hard } });
  await harness.settle();
  for (let round = 0; round < 12; round++) {
    await Promise.all(Array.from({ length: 10 }, () => pick(...acts)()));
    // A quota that is new is counted from nothing.
    await harness.make(`${NAMESPACE}/resourcequotas`, `count-${round}`, { spec: { hard } });
    await harness.settle();
    const usedIn = async (quota: string): Promise<unknown> => {
      const { body } = await harness.get(`${NAMESPACE}/resourcequotas/${quota}`);
      return (body['status'] as JsonObject)['used'];
    };
    expect(await usedIn('kept'), `after round ${round}`).toEqual(await usedIn(`count-${round}`));
    await harness.remove(`${NAMESPACE}/resourcequotas/count-${round}`);
  }
});
