import { expect, test } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { Changes } from './changes.ts';

test('a caller goes on when the condition is true, and not before', async () => {
  const changes = new Changes(new VirtualClock());
  let value = 0;
  let isDone = false;
  const waiting = changes.until(() => value === 2).then(() => (isDone = true));
  for (value = 1; value < 2; value++) changes.notify();
  await Promise.resolve();
  expect(isDone).toBe(false);
  changes.notify();
  await waiting;
  expect(isDone).toBe(true);
});

test('a condition that is true already is not waited for', async () => {
  await expect(new Changes(new VirtualClock()).until(() => true)).resolves.toBeUndefined();
});

test('a timeout ends the waiting, and no timer is left', async () => {
  const clock = new VirtualClock();
  const waiting = new Changes(clock).until(() => false, { ms: 100 });
  await clock.pass(100);
  await expect(waiting).resolves.toBeUndefined();
  expect(clock.pending).toBe(0);
});

test('a caller that aborts gets the reason', async () => {
  const abort = new AbortController();
  const waiting = new Changes(new VirtualClock()).until(() => false, { signal: abort.signal });
  abort.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
});
