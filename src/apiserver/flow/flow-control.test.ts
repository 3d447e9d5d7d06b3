import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { FlowControl } from './flow-control.ts';

const LEVEL = 'global-default';

test('requests that wait for another server hold no seats that others need', async () => {
  const flow = new FlowControl(new VirtualClock());
  const slow = await Promise.all(
    Array.from({ length: 60 }, (_each, index) =>
      flow.slowSeat(LEVEL, { name: `user-${index % 3}`, groups: [] }),
    ),
  );
  const { free } = await flow.seat(LEVEL, { name: 'other', groups: [] });
  free();
  for (const each of slow) each.free();
  expect(slow).toHaveLength(60);
});
