import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorrelatorHarness, podEvent } from '../../../test/support/event-parts.ts';
import { budgetKey, similarKey } from './api-event.ts';
import type { Correlated } from './correlator.ts';

const step = fc.record({
  pod: fc.constantFrom('a', 'b'),
  type: fc.constantFrom('Normal', 'Warning'),
  reason: fc.constantFrom('Pulled', 'Failed'),
  message: fc.integer({ min: 0, max: 14 }).map((number) => `words ${number}`),
  pauseSeconds: fc.constantFrom(0, 0, 0, 0, 1, 60, 300, 601, 3600),
});

const steps = fc.array(step, { maxLength: 150 });
const COMBINED = '(combined from similar events): ';

/** Records all of them; `see` gets the result of each, and its time. */
function play(
  recorded: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  see: (result: Correlated | null, seconds: number, event: ReturnType<typeof podEvent>) => void,
): void {
  const harness = new CorrelatorHarness();
  let seconds = 0;
  recorded.forEach(({ pod, type, reason, message, pauseSeconds }, index) => {
    harness.passSeconds(pauseSeconds);
    seconds += pauseSeconds;
    const about = { name: pod, uid: pod };
    const name = `${pod}.${index}`;
    const event = podEvent({ name, time: harness.time, type, reason, message, about });
    see(harness.record(event), seconds, event);
  });
}

test('an event keeps its name and its first time, and only ever counts up', () => {
  fc.assert(
    fc.property(steps, (recorded) => {
      const seen = new Map<string, { readonly firstTimestamp: string; readonly count: number }>();
      play(recorded, (result) => {
        if (!result) return;
        const { metadata, firstTimestamp, lastTimestamp, count } = result.event;
        const before = seen.get(metadata.name);
        expect(firstTimestamp).toBe(before?.firstTimestamp ?? firstTimestamp);
        expect(count).toBeGreaterThan(before?.count ?? 0);
        expect(lastTimestamp >= firstTimestamp).toBe(true);
        expect(result.patch === null).toBe(count === 1);
        seen.set(metadata.name, { firstTimestamp, count });
      });
    }),
  );
});

test('what is written has the recorded message, combined or not', () => {
  fc.assert(
    fc.property(steps, (recorded) => {
      play(recorded, (result, _seconds, { message, reason, type, involvedObject }) => {
        if (!result) return;
        expect([message, `${COMBINED}${message}`]).toContain(result.event.message);
        expect(result.event).toMatchObject({ reason, type, involvedObject });
        expect(result.patch?.['message'] ?? result.event.message).toBe(result.event.message);
      });
    }),
  );
});

test('no budget ever lets through more than 25 and what was earned since the start', () => {
  fc.assert(
    fc.property(steps, (recorded) => {
      const passed = new Map<string, number>();
      play(recorded, (result, seconds, event) => {
        if (!result) return;
        const key = budgetKey(event);
        const count = (passed.get(key) ?? 0) + 1;
        passed.set(key, count);
        expect(count).toBeLessThanOrEqual(25 + seconds / 300);
      });
    }),
  );
});

test('between two pauses of ten minutes, at most nine messages have their own event', () => {
  fc.assert(
    fc.property(steps, (recorded) => {
      const groups = new Map<string, { lastSeconds: number; alone: Set<string> }>();
      play(recorded, (result, seconds, event) => {
        const key = similarKey(event);
        const known = groups.get(key);
        const isFresh = !known || seconds - known.lastSeconds > 600;
        const group = isFresh ? { lastSeconds: seconds, alone: new Set<string>() } : known;
        group.lastSeconds = seconds;
        groups.set(key, group);
        const isCombined = group.alone.size >= 9 && !group.alone.has(event.message);
        if (!isCombined) group.alone.add(event.message);
        expect(result?.event.message.startsWith(COMBINED) ?? isCombined).toBe(isCombined);
      });
    }),
  );
});
