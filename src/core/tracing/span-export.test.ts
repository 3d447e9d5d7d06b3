import { expect, test } from 'vitest';
import * as spanExport from './span-export.ts';
import { BATCH_MAX, outcomeOfAnswer, QUEUE_MAX } from './span-export.ts';

/** Feeds the machine, and counts the queue as a driver does. */
class Machine {
  state: spanExport.State = spanExport.initial;
  queued = 0;
  last: readonly spanExport.Effect[] = [];

  feed(...events: readonly spanExport.Event[]): readonly spanExport.Effect[] {
    for (const event of events) {
      const { state, effects } = spanExport.decide(this.state, event);
      this.state = state;
      this.last = effects;
      for (const effect of effects) {
        if (effect.type === 'store') this.queued += 1;
        if (effect.type === 'drop' || effect.type === 'exported') this.queued -= effect.count;
      }
    }
    return this.last;
  }

  spans(count: number): readonly spanExport.Effect[] {
    for (let index = 0; index < count; index += 1) this.feed({ type: 'ended' });
    return this.last;
  }

  settle(outcome: spanExport.Outcome, chance = 0): readonly spanExport.Effect[] {
    return this.feed({ type: 'settled', outcome, chance });
  }
}

test('spans wait five seconds for others, and a full batch is sent at once', () => {
  const machine = new Machine();
  expect(machine.spans(1)).toEqual([{ type: 'store' }, { type: 'wakeAfter', delayMs: 5000 }]);
  expect(machine.feed({ type: 'woke' })).toEqual([{ type: 'send', count: 1 }]);
  expect(machine.settle('accepted')).toEqual([{ type: 'exported', count: 1 }]);
  expect(machine.state).toEqual({ phase: 'idle' });
  expect(machine.spans(BATCH_MAX)).toEqual([
    { type: 'store' },
    { type: 'cancelWake' },
    { type: 'send', count: BATCH_MAX },
  ]);
});

test('spans that end meanwhile go with the next batch', () => {
  const machine = new Machine();
  machine.spans(BATCH_MAX + 3);
  expect(machine.settle('accepted')).toEqual([
    { type: 'exported', count: BATCH_MAX },
    { type: 'wakeAfter', delayMs: 5000 },
  ]);
  expect(machine.feed({ type: 'woke' })).toEqual([{ type: 'send', count: 3 }]);
});

test('the queue is bounded while the receiver is silent', () => {
  const machine = new Machine();
  machine.spans(QUEUE_MAX);
  expect(machine.spans(1)).toEqual([{ type: 'reject', why: 'queue_full' }]);
  expect(machine.queued).toBe(QUEUE_MAX);
});

test('an unavailable receiver gets the batch six times, with back-off and jitter', () => {
  const machine = new Machine();
  machine.spans(1);
  machine.feed({ type: 'woke' });
  for (const delayMs of [1000, 2000, 4000, 8000, 16_000]) {
    expect(machine.settle('unavailable')).toEqual([{ type: 'wakeAfter', delayMs }]);
    expect(machine.feed({ type: 'woke' })).toEqual([{ type: 'send', count: 1 }]);
  }
  expect(machine.settle('unavailable')).toEqual([{ type: 'drop', count: 1, why: 'unavailable' }]);
  expect(machine.state).toEqual({ phase: 'idle' });
  machine.spans(1);
  machine.feed({ type: 'woke' });
  expect(machine.settle('unavailable', 0.5)).toEqual([{ type: 'wakeAfter', delayMs: 1250 }]);
});

test('the next batch of an unavailable receiver waits as long as the last one', () => {
  const machine = new Machine();
  machine.spans(BATCH_MAX + 2);
  for (let tries = 1; tries < 6; tries += 1) {
    machine.settle('unavailable');
    machine.feed({ type: 'woke' });
  }
  expect(machine.settle('unavailable')).toEqual([
    { type: 'drop', count: BATCH_MAX, why: 'unavailable' },
    { type: 'wakeAfter', delayMs: 30_000 },
  ]);
  expect(machine.feed({ type: 'woke' })).toEqual([{ type: 'send', count: 2 }]);
  machine.settle('accepted');
  expect(machine.queued).toBe(0);
});

test('a batch that the receiver refuses is dropped at once', () => {
  const machine = new Machine();
  machine.spans(2);
  machine.feed({ type: 'woke' });
  expect(machine.settle('refused')).toEqual([{ type: 'drop', count: 2, why: 'refused' }]);
});

test('stopping sends the rest without pauses, and later spans are dropped', () => {
  const machine = new Machine();
  machine.spans(BATCH_MAX + 1);
  machine.feed({ type: 'stopping' });
  expect(machine.spans(1)).toEqual([{ type: 'reject', why: 'stopped' }]);
  expect(machine.settle('accepted')).toEqual([
    { type: 'exported', count: BATCH_MAX },
    { type: 'send', count: 1 },
  ]);
  expect(machine.settle('accepted')).toEqual([{ type: 'exported', count: 1 }, { type: 'finish' }]);
  expect(machine.spans(1)).toEqual([{ type: 'reject', why: 'stopped' }]);
});

test('stopping ends a back-off, and does not wait for a receiver that is down', () => {
  const machine = new Machine();
  machine.spans(1);
  machine.feed({ type: 'woke' });
  machine.settle('unavailable');
  const again: readonly spanExport.Effect[] = [{ type: 'cancelWake' }, { type: 'send', count: 1 }];
  expect(machine.feed({ type: 'stopping' })).toEqual(again);
  expect(machine.settle('unavailable')).toEqual([
    { type: 'cancelWake' },
    { type: 'drop', count: 1, why: 'unavailable' },
    { type: 'finish' },
  ]);
});

test('a deadline drops what is left, and an answer after it changes nothing', () => {
  const machine = new Machine();
  machine.spans(2);
  machine.feed({ type: 'stopping' });
  expect(machine.feed({ type: 'expired' })).toContainEqual({
    type: 'drop',
    count: 2,
    why: 'stopped',
  });
  expect(machine.settle('accepted')).toEqual([]);
  expect(machine.queued).toBe(0);
});

test('nothing to send: stopping is over at once', () => {
  expect(new Machine().feed({ type: 'stopping' })).toEqual([{ type: 'finish' }]);
});

test.each([
  [200, 'accepted'],
  [202, 'accepted'],
  [307, 'refused'],
  [400, 'refused'],
  [404, 'refused'],
  [429, 'unavailable'],
  [500, 'refused'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
])('the answer %i: %s', (status, outcome) => {
  expect(outcomeOfAnswer(status)).toBe(outcome);
});
