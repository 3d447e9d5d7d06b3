import { expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Changes } from './changes.ts';

test('whoever waits goes on when it has become true, and not before', async () => {
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

test('what is true already is not waited for', async () => {
  await expect(new Changes(new VirtualClock()).until(() => true)).resolves.toBeUndefined();
});

test('a time that is up ends the waiting, and no timer is left', async () => {
  const clock = new VirtualClock();
  const waiting = new Changes(clock).until(() => false, { ms: 100 });
  await clock.pass(100);
  await expect(waiting).resolves.toBeUndefined();
  expect(clock.pending).toBe(0);
});

test('whoever leaves is let go with the reason', async () => {
  const abort = new AbortController();
  const waiting = new Changes(new VirtualClock()).until(() => false, { signal: abort.signal });
  abort.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
});
