import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { OtherPods } from './other-pods.ts';

function podOf(uid: string, cpu: number): Pod {
  const resources = { requests: { cpu: `${cpu}m` } };
  return { metadata: { uid }, spec: { containers: [{ name: 'main', resources }] } };
}

const step = fc.record({
  uid: fc.constantFrom('a', 'b', 'c'),
  cpu: fc.nat(1000),
  isLeaving: fc.boolean(),
});

test('as pods are added, changed and deleted, the sum stays that of the current ones', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const otherPods = new OtherPods();
      const model = new Map<string, number>();
      for (const { uid, cpu, isLeaving } of steps) {
        if (isLeaving) otherPods.delete(uid);
        else otherPods.add(podOf(uid, cpu));
        if (isLeaving) model.delete(uid);
        else model.set(uid, cpu);
      }
      expect(otherPods.requested('pods')).toBe(BigInt(model.size));
      expect(otherPods.requested('cpu')).toBe(
        [...model.values()].reduce((sum, cpu) => sum + BigInt(cpu), 0n),
      );
      expect(otherPods.requested('memory')).toBe(0n);
      expect(otherPods.pods().map(({ metadata }) => metadata.uid)).toHaveLength(model.size);
    }),
  );
});
