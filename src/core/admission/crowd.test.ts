import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { Crowd } from './crowd.ts';

function podOf(uid: string, cpu: number): Pod {
  const resources = { requests: { cpu: `${cpu}m` } };
  return { metadata: { uid }, spec: { containers: [{ name: 'main', resources }] } };
}

const step = fc.record({
  uid: fc.constantFrom('a', 'b', 'c'),
  cpu: fc.nat(1000),
  isLeaving: fc.boolean(),
});

test('pods come, change and go, and the sum is that of those who are there', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const crowd = new Crowd();
      const model = new Map<string, number>();
      for (const { uid, cpu, isLeaving } of steps) {
        if (isLeaving) crowd.delete(uid);
        else crowd.add(podOf(uid, cpu));
        if (isLeaving) model.delete(uid);
        else model.set(uid, cpu);
      }
      expect(crowd.requested('pods')).toBe(BigInt(model.size));
      expect(crowd.requested('cpu')).toBe(
        [...model.values()].reduce((sum, cpu) => sum + BigInt(cpu), 0n),
      );
      expect(crowd.requested('memory')).toBe(0n);
      expect(crowd.pods().map(({ metadata }) => metadata.uid)).toHaveLength(model.size);
    }),
  );
});
