import { expect, test } from 'vitest';
import { parseNodeIPs, parseNodeLabels, parseTaints } from './node-flags.ts';

test('labels', () => {
  expect(parseNodeLabels('a=1, example.com/b=x_y,c,topology.kubernetes.io/zone=z1')).toEqual({
    a: '1',
    'example.com/b': 'x_y',
    c: '',
    'topology.kubernetes.io/zone': 'z1',
  });
  expect(parseNodeLabels('node.kubernetes.io/pool=a,x.kubelet.kubernetes.io/b=1')).toEqual({
    'node.kubernetes.io/pool': 'a',
    'x.kubelet.kubernetes.io/b': '1',
  });
  expect(parseNodeLabels('')).toEqual({});
});

test.each(['node-role.kubernetes.io/worker=', 'kubernetes.io/cluster=a', 'x.k8s.io/y=1'])(
  'a node may not give itself %s',
  (text) => {
    expect(() => parseNodeLabels(text)).toThrow(/may not give itself/);
  },
);

test.each(['=1', 'a b=1', 'a=b c', '/x=1'])('"%s" is no label', (text) => {
  expect(() => parseNodeLabels(text)).toThrow(/cannot be/);
});

test('addresses, at most one of each family', () => {
  expect(parseNodeIPs('10.0.0.5')).toEqual(['10.0.0.5']);
  expect(parseNodeIPs('fd00::5,10.0.0.5')).toEqual(['fd00::5', '10.0.0.5']);
  for (const wrong of ['', 'x', '10.0.0.5,10.0.0.6', '0.0.0.0', '::']) {
    expect(() => parseNodeIPs(wrong)).toThrow(/address/);
  }
});

test('taints', () => {
  expect(parseTaints('gpu=yes:NoSchedule,example.com/spot:NoExecute,a=:PreferNoSchedule')).toEqual([
    { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
    { key: 'example.com/spot', effect: 'NoExecute' },
    { key: 'a', effect: 'PreferNoSchedule' },
  ]);
  for (const wrong of ['a', 'a=b', 'a:Sometimes', '=b:NoSchedule', 'a b:NoSchedule']) {
    expect(() => parseTaints(wrong)).toThrow(/is not a taint/);
  }
});
