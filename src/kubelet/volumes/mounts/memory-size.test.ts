import { expect, test } from 'vitest';
import type { Pod } from '../../../api/pod.ts';
import { memoryVolumeBytes } from './memory-size.ts';

function podOf(limits: readonly (string | undefined)[], resources?: object): Pod {
  const containers = limits.map((memory, index) => ({
    name: `c${index}`,
    ...(memory !== undefined && { resources: { limits: { memory } } }),
  }));
  return { metadata: {}, spec: { containers, ...(resources && { resources }) } };
}

const NODE = { memory: '1000' };

test.each<[string, Pod, string | undefined, bigint]>([
  ['nobody else sets a limit', podOf([undefined]), undefined, 1000n],
  ['the volume sets a smaller one', podOf([undefined]), '10', 10n],
  ['the volume sets a larger one', podOf([undefined]), '5000', 1000n],
  ['the volume sets none, by zero', podOf([undefined]), '0', 1000n],
  ['all containers are limited', podOf(['100', '200']), undefined, 300n],
  ['one container is not', podOf(['100', undefined]), undefined, 1000n],
  ['the volume has less than the pod', podOf(['100', '200']), '50', 50n],
  ['the pod itself is limited', podOf([undefined], { limits: { memory: '70' } }), undefined, 70n],
])('memory is limited when %s', (_, pod, sizeLimit, expected) => {
  expect(memoryVolumeBytes(pod, NODE, sizeLimit)).toBe(expected);
});

test('without any limit the kernel decides', () => {
  expect(memoryVolumeBytes(podOf([undefined]), {})).toBeUndefined();
});
