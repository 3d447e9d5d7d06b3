import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeLoadOf } from './node-load.ts';

test('each figure is the share that is used, or the pressure if that is larger', () => {
  const { saturation, worst } = nodeLoadOf({
    cpu: { used: 1, capacity: 4 },
    memory: { used: 3, capacity: 4 },
    disk: { used: 9, capacity: 10 },
    pids: { used: 1, capacity: 100 },
    pressure: { cpu: 50, memory: 2, io: 12.5 },
  });
  expect(Object.fromEntries(saturation)).toEqual({
    cpu: 0.5,
    memory: 0.75,
    disk: 0.9,
    pids: 0.01,
    io: 0.125,
  });
  expect(worst).toEqual({ resource: 'disk', saturation: 0.9 });
});

test('what was not measured has no figure', () => {
  expect(nodeLoadOf({})).toEqual({ saturation: new Map(), worst: null });
  const load = nodeLoadOf({ inodes: { used: 0, capacity: 0 }, cpu: { used: 0, capacity: 2 } });
  expect([...load.saturation]).toEqual([['cpu', 0]]);
});

test('a figure is between 0 and 1, whatever was measured', () => {
  const used = fc.record({ used: fc.double(), capacity: fc.double() });
  const pressure = fc.record({ cpu: fc.double(), memory: fc.double(), io: fc.double() });
  fc.assert(
    fc.property(used, used, pressure, (cpu, disk, given) => {
      const { saturation } = nodeLoadOf({ cpu, disk, pressure: given });
      for (const figure of saturation.values()) {
        expect(figure).toBeGreaterThanOrEqual(0);
        expect(figure).toBeLessThanOrEqual(1);
      }
    }),
  );
});
