import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { stopsBefore } from './stop-order.ts';

const sidecar = (name: string) => ({ name, restartPolicy: 'Always' as const });
const POD = livePod('web', {
  initContainers: [sidecar('s1'), { name: 'init' }, sidecar('s2')],
  containers: [{ name: 'a' }, { name: 'b' }],
});
const ALL = new Set(['s1', 'init', 's2', 'a', 'b']);

test('regular containers and init containers stop immediately (KL-14)', () => {
  for (const name of ['a', 'b', 'init', 'nobody']) expect(stopsBefore(POD, ALL, name)).toEqual([]);
});

test('a sidecar waits for the regular ones, and for the sidecars behind it', () => {
  expect(stopsBefore(POD, ALL, 's2')).toEqual(['a', 'b']);
  expect(stopsBefore(POD, ALL, 's1')).toEqual(['a', 'b', 's2']);
});

test('no container waits for one that does not run', () => {
  expect(stopsBefore(POD, new Set(['s1', 'b']), 's1')).toEqual(['b']);
});
