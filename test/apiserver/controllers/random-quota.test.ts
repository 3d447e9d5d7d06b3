/** Whatever happens, in whatever order and however much at once: the account is what a count says. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { ControllerStage } from './stage.ts';

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

test.each(seeds)('the account is what a count says (seed %i)', async (seed) => {
  const stage = await ControllerStage.open({ controllers: ['resource-quota'], seed });
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
      return stage.send('POST', `${NAMESPACE}/pods`, { metadata: { name: name() }, spec });
    },
    () => stage.patch(`${NAMESPACE}/pods/${name()}/status`, { status: { phase: 'Failed' } }),
    () => stage.remove(`${NAMESPACE}/pods/${name()}?gracePeriodSeconds=0`),
    () => {
      const spec = { type: pick('ClusterIP', 'NodePort'), ports: [{ port: 80 }] };
      return stage.send('POST', `${NAMESPACE}/services`, { metadata: { name: name() }, spec });
    },
    () => {
      const spec = { type: pick('ClusterIP', 'NodePort') };
      return stage.patch(`${NAMESPACE}/services/${name()}`, { spec });
    },
    () => stage.remove(`${NAMESPACE}/services/${name()}`),
    () => stage.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: name() } }),
    () => stage.remove(`${NAMESPACE}/configmaps/${name()}`),
  ];
  await stage.make(`${NAMESPACE}/resourcequotas`, 'kept', { spec: { hard } });
  await stage.settle();
  for (let round = 0; round < 12; round++) {
    await Promise.all(Array.from({ length: 10 }, () => pick(...acts)()));
    // A quota that is new is counted from nothing.
    await stage.make(`${NAMESPACE}/resourcequotas`, `count-${round}`, { spec: { hard } });
    await stage.settle();
    const usedIn = async (quota: string): Promise<unknown> => {
      const { body } = await stage.get(`${NAMESPACE}/resourcequotas/${quota}`);
      return (body['status'] as JsonObject)['used'];
    };
    expect(await usedIn('kept'), `after round ${round}`).toEqual(await usedIn(`count-${round}`));
    await stage.remove(`${NAMESPACE}/resourcequotas/count-${round}`);
  }
});
