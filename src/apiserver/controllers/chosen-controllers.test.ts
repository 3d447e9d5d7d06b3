import { expect, test } from 'vitest';
import { chooseControllers } from './chosen-controllers.ts';
import { CONTROLLER_NAMES } from './controllers.ts';

test('a star means all controllers, and a dash leaves one out', () => {
  const all = chooseControllers('*');
  expect([...all]).toEqual(expect.arrayContaining([...CONTROLLER_NAMES]));
  const fewer = chooseControllers('*,-scheduler');
  expect([...all].filter((name) => !fewer.has(name))).toEqual(['scheduler']);
});

test('names without a star mean only those', () => {
  expect([...chooseControllers('namespace, scheduler')]).toEqual(['namespace', 'scheduler']);
  expect([...chooseControllers('')]).toEqual([]);
});

test('an unknown name is refused with a list of the known ones', () => {
  expect(() => chooseControllers('*,-nope')).toThrow(
    expect.objectContaining({
      code: 'CONTROLLER_UNKNOWN',
      hint: expect.stringContaining('garbage-collector'),
    }),
  );
});

test.each([
  ['certificatesigningrequest-approving-controller', 'certificate-approver'],
  ['csrapproving', 'certificate-approver'],
  ['certificatesigningrequest-cleaner-controller', 'certificate-cleaner'],
  ['csrcleaner', 'certificate-cleaner'],
  ['certificatesigningrequest-signing-controller', 'certificate-signer'],
  ['csrsigning', 'certificate-signer'],
  ['clusterrole-aggregation-controller', 'cluster-role-aggregation'],
  ['clusterrole-aggregation', 'cluster-role-aggregation'],
  ['node-ipam-controller', 'node-ipam'],
  ['nodeipam', 'node-ipam'],
  ['ttl-controller', 'ttl'],
  ['ttl', 'ttl'],
])('%s is %s here', (theirs, ours) => {
  expect([...chooseControllers(theirs)]).toEqual([ours]);
});

test("kube-controller-manager's names and aliases choose the same controllers", () => {
  expect([...chooseControllers('deployment-controller,podgc,garbagecollector')]).toEqual([
    'deployment',
    'pod-garbage-collector',
    'garbage-collector',
  ]);
  expect(chooseControllers('*,-replicaset-controller').has('replicaset')).toBe(false);
  for (const name of ['statefulset', 'daemonset']) {
    expect([...chooseControllers(`${name}-controller`)]).toEqual([name]);
  }
});
